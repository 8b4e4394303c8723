"""Attacks over the network and by sockets."""

import os, socket

from attack import CANARY, denied


@denied("network")
def tcp(): socket.socket(socket.AF_INET, socket.SOCK_STREAM); return True

@denied("network")
def udp(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM); return True

@denied("network")
def tcp6(): socket.socket(socket.AF_INET6, socket.SOCK_STREAM); return True

@denied("network")
def raw_packets(): socket.socket(socket.AF_PACKET, socket.SOCK_RAW); return True

@denied("network")
def netlink(): socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); return True

@denied("network")
def vsock(): socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); return True

@denied("network")
def the_kernels_cryptography(): socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET); return True

@denied("network")
def connecting_to_a_path():
    socket.socket(socket.AF_UNIX).connect(os.path.join(CANARY, "listener")); return True

@denied("network")
def connecting_to_an_abstract_name():
    socket.socket(socket.AF_UNIX).connect("\0quintain-canary"); return True

@denied("network")
def sending_a_datagram_from_a_pair():
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pair[0].sendto(b"x", os.path.join(CANARY, "datagrams")); return True

@denied("network")
def sending_to_an_address_from_a_pair():
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pair[0].sendto(b"x", os.path.join(CANARY, "datagrams")); return True

@denied("network")
def passing_descriptors():
    pair = socket.socketpair()
    socket.send_fds(pair[0], [b"x"], [0]); return True
