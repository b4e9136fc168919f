// Counts the bytes that leave by each port; a probe takes the count along and resets it.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header probe_t {
    bit<32> bytes;
}

struct headers {
    ethernet_t ethernet;
    probe_t probe;
}

struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x812: parse_probe;
            default: accept;
        }
    }

    state parse_probe {
        packet.extract(hdr.probe);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    action forward(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    table routes {
        key = { hdr.ethernet.dst : exact; }
        actions = { forward; NoAction; }
        default_action = NoAction();
    }

    apply {
        routes.apply();
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    // ser: forward.port in 0..1
    // ser: standard_metadata.packet_length in {1}
    register<bit<32>>(8) count;  // ser: count cells 2 width 2

    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        bit<32> bytes;
        count.read(bytes, port);
        bytes = bytes + standard_metadata.packet_length;
        if (hdr.probe.isValid()) {
            hdr.probe.bytes = bytes;
            bytes = 0;
        }
        count.write(port, bytes);
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.probe);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
