// Flowlet switching: after a pause of 50 ms, a flow may take the other path. One atomic block does it all.
#include <core.p4>
#include <v1model.p4>

const bit<48> GAP = 50000;
// ser: standard_metadata.ingress_global_timestamp in {0, 60000}

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header ipv4_t {
    bit<8> ttl;
    bit<8> protocol;
    bit<32> src;
    bit<32> dst;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x800: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    register<bit<48>>(1024) times;  // ser: times cells 1
    register<bit<8>>(1024) ids;     // ser: ids cells 1 width 1

    apply {
        if (!hdr.ipv4.isValid()) {
            return;
        }
        bit<32> flow;
        hash(flow, HashAlgorithm.crc16, (bit<32>) 0, { hdr.ipv4.src, hdr.ipv4.dst }, (bit<32>) 1024);
        bit<48> now = standard_metadata.ingress_global_timestamp;
        bit<48> last;
        bit<8> id;
        @atomic {
            times.read(last, flow);
            times.write(flow, now);
            ids.read(id, flow);
            if (now - last > GAP) {
                id = id + 1;
                ids.write(flow, id);
            }
        }
        standard_metadata.egress_spec = 1 + (bit<9>) id[0:0];
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
