// Gives each new connection the next free port outside; the switch does not look whether somebody else does.
#include <core.p4>
#include <v1model.p4>

const bit<16> FIRST = 50000;

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

header tcp_t {
    bit<16> sport;
    bit<16> dport;
    bit<1> syn;
    bit<7> flags;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
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
        transition select(hdr.ipv4.protocol) {
            6: parse_tcp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    register<bit<16>>(1) next;          // ser: next width 2
    register<bit<16>>(1024) mappings;   // ser: mappings cells 2 width 3

    apply {
        if (!hdr.tcp.isValid()) {
            return;
        }
        bit<32> flow;
        bit<16> mapped;
        hash(flow, HashAlgorithm.crc16, (bit<32>) 0, { hdr.ipv4.src, hdr.tcp.sport }, (bit<32>) 1024);
        mappings.read(mapped, flow);
        if (mapped == 0) {
            bit<16> free;
            next.read(free, 0);
            next.write(0, free + 1);
            mapped = free + 1;
            mappings.write(flow, mapped);
        }
        hdr.tcp.sport = FIRST + mapped;
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
        packet.emit(hdr.tcp);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
