import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A program that replies on TCP and UDP ports with the caller's address. */
export interface Echo {
  stop(): Promise<void>;
}

const echoScript = `
const { tcp, udp } = JSON.parse(process.argv[1]);
const listening = [
  ...tcp.map((port) => new Promise((resolve) => require("net").createServer((socket) => {
    socket.on("error", () => {});
    socket.write(socket.remoteAddress.replace("::ffff:", "") + "\\n");
    socket.on("data", (data) => socket.write(data));
  }).listen(port, "::", resolve))),
  ...udp.map((port) => new Promise((resolve) => {
    const socket = require("dgram").createSocket("udp4");
    socket.on("message", (_, { address, port: from }) => socket.send(address, from, address));
    socket.bind(port, resolve);
  })),
];
Promise.all(listening).then(() => console.log("ready"));`;

const callScript = `
const { protocol, host, port, from, timeoutMs } = JSON.parse(process.argv[1]);
const end = (answer) => { console.log(answer); process.exit(0); };
setTimeout(() => end(""), timeoutMs);
if (protocol === "tcp") {
  const socket = require("net").connect({ host, port, localAddress: from });
  socket.on("error", () => end(""));
  socket.on("data", (data) => end(String(data).trim()));
} else {
  const socket = require("dgram").createSocket("udp4");
  socket.on("error", () => end(""));
  socket.on("message", (data) => end(String(data)));
  socket.bind(0, from, () => socket.send("?", port, host, (error) => error && end("")));
}`;

const resolveScript = `
const [server, name] = process.argv.slice(1);
const resolver = new (require("dns").promises.Resolver)({ timeout: 1000, tries: 2 });
resolver.setServers([server]);
resolver.resolve4(name).then((found) => console.log(found.join()), (error) => console.log(error.code));`;

// Perl is part of every Debian system and, unlike Node.js, has raw sockets.
const pingScript = `
use Socket; my ($host) = @ARGV; alarm 1;
socket(my $s, PF_INET, SOCK_RAW, getprotobyname("icmp") // 1) or die $!;
my $sum = 0xffff - 0x0800 - 0x1234 - 1;
send($s, pack("CCnnn", 8, 0, $sum, 0x1234, 1), 0, sockaddr_in(0, inet_aton($host))) or exit 1;
while (defined(my $from = recv($s, my $packet, 1500, 0))) {
  my ($type, undef, undef, $id) = unpack("x20 CCnn", $packet);
  if ($type == 0 && $id == 0x1234) { print "pong"; exit 0 }
}`;

const scanScript = `
const { host, tcp, udp, timeoutMs } = JSON.parse(process.argv[1]);
const open = [];
for (const port of tcp) {
  const socket = require("net").connect({ host, port });
  socket.on("error", () => {});
  socket.on("data", () => open.push("tcp/" + port));
}
for (const port of udp) {
  const socket = require("dgram").createSocket("udp4");
  socket.on("error", () => {});
  socket.on("message", () => open.push("udp/" + port));
  socket.send("?", port, host, () => {});
}
const end = () => { console.log(open.sort().join(" ")); process.exit(0); };
setTimeout(end, timeoutMs);
setInterval(() => { if (open.length === tcp.length + udp.length) end(); }, 10);`;

const talkScript = `
const [host, port] = process.argv.slice(1);
const socket = require("net").connect({ host, port });
socket.on("error", () => process.exit(1));
socket.once("data", () => setInterval(() => socket.write("."), 20));
socket.on("data", () => console.log("."));`;

/** Runs a program in a network namespace, or on the host if no namespace is given. Returns the program's output. */
export async function runIn(namespace: string | undefined, program: string, args: readonly string[]): Promise<string> {
  const [file, rest] = enter(namespace, program, args);
  return new Promise((resolve) => execFile(file, rest, (_error, stdout) => resolve(stdout.trim())));
}

function enter(namespace: string | undefined, program: string, args: readonly string[]): [file: string, args: string[]] {
  return namespace === undefined ? [program, [...args]] : ["ip", ["netns", "exec", namespace, program, ...args]];
}

export async function startEcho(
  namespace: string | undefined,
  { tcp = [], udp = [] }: { readonly tcp?: readonly number[]; readonly udp?: readonly number[] },
): Promise<Echo> {
  const [file, args] = enter(namespace, process.execPath, ["-e", echoScript, JSON.stringify({ tcp, udp })]);
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([once(child.stdout, "data"), rejectAtExit(child)]);
  return {
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function rejectAtExit(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, "exit")) as [number | null];
  throw new Error(`a probe exited with code ${code}`);
}

export interface Call {
  readonly protocol: "tcp" | "udp";
  readonly host: string;
  readonly port: number;
  /** Source address. An interface of the caller must have this address. */
  readonly from?: string;
}

/** Calls an echo program. Returns the address that the program saw, or an empty string if there was no reply. */
export async function call(namespace: string | undefined, target: Call): Promise<string> {
  return runIn(namespace, process.execPath, ["-e", callScript, JSON.stringify({ timeoutMs: 800, ...target })]);
}

/** Returns the ports on which an echo program replies, such as `tcp/80 udp/53`. Scans of many ports need more time. */
export async function scan(
  namespace: string | undefined,
  host: string,
  { tcp = [], udp = [] }: { readonly tcp?: readonly number[]; readonly udp?: readonly number[] },
  timeoutMs = 1200,
): Promise<string> {
  return runIn(namespace, process.execPath, ["-e", scanScript, JSON.stringify({ host, tcp, udp, timeoutMs })]);
}

/** A connection to an echo program, over which data keeps flowing. */
export interface Talk {
  /** Returns the number of bytes received so far. */
  answers(): number;
  stop(): Promise<void>;
}

export async function startTalk(namespace: string, host: string, port: number): Promise<Talk> {
  const [file, args] = enter(namespace, process.execPath, ["-e", talkScript, host, String(port)]);
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  let answers = 0;
  child.stdout.on("data", (data: Buffer) => (answers += data.length));
  await Promise.race([once(child.stdout, "data"), rejectAtExit(child)]);
  return {
    answers: () => answers,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export async function ping(namespace: string | undefined, host: string): Promise<boolean> {
  return (await runIn(namespace, "perl", ["-e", pingScript, host])) === "pong";
}

/** Queries a name server for the addresses of a name. Returns the addresses, or the error code. */
export async function resolveName(namespace: string, server: string, name: string): Promise<string> {
  return runIn(namespace, process.execPath, ["-e", resolveScript, server, name]);
}

export async function ip(...args: string[]): Promise<string> {
  return runIn(undefined, "ip", args);
}
