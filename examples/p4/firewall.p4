// A stateful firewall: connections that inside hosts open are remembered in a Bloom filter with two rows.
#include <core.p4>
#include <v1model.p4>

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
    register<bit<1>>(4096) row_1;  // ser: row_1 cells 2
    register<bit<1>>(4096) row_2;  // ser: row_2 cells 1
    bit<32> cell_1;
    bit<32> cell_2;

    action locate(bit<32> inside, bit<32> outside, bit<16> port_inside, bit<16> port_outside) {
        hash(cell_1, HashAlgorithm.crc16, (bit<32>) 0, { inside, outside, port_inside, port_outside },
             (bit<32>) 4096);
        hash(cell_2, HashAlgorithm.crc32, (bit<32>) 0, { inside, outside, port_inside, port_outside },
             (bit<32>) 4096);
    }

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<48> dst, bit<9> port) {
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        standard_metadata.egress_spec = port;
    }

    table routes {
        key = { hdr.ipv4.dst : lpm; }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    bit<1> comes_in = 0;

    action set_direction(bit<1> from_outside) {
        comes_in = from_outside;
    }

    table directions {
        key = { standard_metadata.ingress_port : exact; }
        actions = { set_direction; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (!hdr.ipv4.isValid()) {
            drop();
            return;
        }
        routes.apply();
        directions.apply();
        if (hdr.tcp.isValid()) {
            if (comes_in == 0) {
                locate(hdr.ipv4.src, hdr.ipv4.dst, hdr.tcp.sport, hdr.tcp.dport);
                if (hdr.tcp.syn == 1) {
                    row_1.write(cell_1, 1);
                    row_2.write(cell_2, 1);
                }
            } else {
                bit<1> in_row_1;
                bit<1> in_row_2;
                locate(hdr.ipv4.dst, hdr.ipv4.src, hdr.tcp.dport, hdr.tcp.sport);
                row_1.read(in_row_1, cell_1);
                row_2.read(in_row_2, cell_2);
                if (in_row_1 == 0 || in_row_2 == 0) {
                    drop();
                }
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
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
