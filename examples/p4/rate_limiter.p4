// Lets one packet of each port pass in each window of a second; it drops the others.
#include <core.p4>
#include <v1model.p4>

const bit<8> LIMIT = 1;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers {
    ethernet_t ethernet;
}

struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    // ser: standard_metadata.ingress_port in 0..1
    // ser: standard_metadata.ingress_global_timestamp in {0, 1500000}
    register<bit<48>>(512) windows;  // ser: windows cells 2
    register<bit<8>>(512) passed;    // ser: passed cells 2

    apply {
        bit<32> port = (bit<32>) standard_metadata.ingress_port;
        bit<48> window = standard_metadata.ingress_global_timestamp >> 20;
        bit<48> before;
        bit<8> count;
        windows.read(before, port);
        passed.read(count, port);
        if (window != before) {
            windows.write(port, window);
            count = 0;
        }
        if (count >= LIMIT) {
            mark_to_drop(standard_metadata);
        } else {
            passed.write(port, count + 1);
            standard_metadata.egress_spec = 1;
        }
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
