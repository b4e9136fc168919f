// Marks packets of heavy flows: a count-min sketch with two rows, and a threshold.
#include <core.p4>
#include <v1model.p4>

const bit<16> HEAVY = 2;  // In the network it is 1000; here it lies in the scope of the counts.

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
    register<bit<16>>(1024) row_1;  // ser: row_1 cells 1 width 2
    register<bit<16>>(1024) row_2;  // ser: row_2 cells 1 width 2
    bit<16> count_1;
    bit<16> count_2;

    action count() {
        bit<32> cell_1;
        bit<32> cell_2;
        hash(cell_1, HashAlgorithm.crc16, (bit<32>) 0, { hdr.ipv4.src }, (bit<32>) 1024);
        hash(cell_2, HashAlgorithm.crc32, (bit<32>) 0, { hdr.ipv4.src }, (bit<32>) 1024);
        row_1.read(count_1, cell_1);
        count_1 = count_1 + 1;
        row_1.write(cell_1, count_1);
        row_2.read(count_2, cell_2);
        count_2 = count_2 + 1;
        row_2.write(cell_2, count_2);
    }

    apply {
        if (hdr.ipv4.isValid()) {
            count();
            bit<16> least = count_1 < count_2 ? count_1 : count_2;
            if (least >= HEAVY) {
                hdr.ipv4.ttl = 1;
            }
        }
        standard_metadata.egress_spec = 1;
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
