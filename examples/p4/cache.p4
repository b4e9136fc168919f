// A cache in the network: values have two words, each in a register of its own, as switches have it.
#include <core.p4>
#include <v1model.p4>

const bit<9> SERVER = 2;

header request_t {
    bit<1> is_update;
    bit<7> key;
    bit<32> word_1;
    bit<32> word_2;
}

struct headers {
    request_t request;
}

struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.request);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    // ser: hdr.request.key in {0}
    // ser: hdr.request.word_1 in 1..2
    // ser: hdr.request.word_2 in 1..2
    register<bit<1>>(128) valid;
    register<bit<32>>(128) words_1;
    register<bit<32>>(128) words_2;

    apply {
        bit<32> cell = (bit<32>) hdr.request.key;
        if (hdr.request.is_update == 1) {
            valid.write(cell, 0);
            words_1.write(cell, hdr.request.word_1);
            words_2.write(cell, hdr.request.word_2);
            valid.write(cell, 1);
            standard_metadata.egress_spec = SERVER;
        } else {
            bit<1> is_valid;
            valid.read(is_valid, cell);
            words_1.read(hdr.request.word_1, cell);
            words_2.read(hdr.request.word_2, cell);
            if (is_valid == 1) {
                standard_metadata.egress_spec = standard_metadata.ingress_port;
            } else {
                standard_metadata.egress_spec = SERVER;
            }
        }
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.request);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
