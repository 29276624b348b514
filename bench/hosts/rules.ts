import type { Host } from "@cloudwright/hosts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Round } from "../statistics.ts";
import type { BenchHost } from "./bench-host.ts";

const [ports, groups, rulesPerGroup, changes] = [50, 20, 20, 20];
const anywhere = { cidr: "0.0.0.0/0" };
const probedPort = 9000;
/** No packet for this long means that packets are dropped. */
const silenceMs = 30;

const sender = `
const [host, port] = process.argv.slice(1);
const socket = require("dgram").createSocket("udp4");
socket.on("error", () => {});
setInterval(() => socket.send("?", Number(port), host, () => {}), 1);`;
const receiver = `
const socket = require("dgram").createSocket("udp4");
socket.on("message", () => console.log(Date.now()));
socket.bind(Number(process.argv[1]), () => console.log("ready"));`;

type Group = Parameters<Host["firewall"]["setGroup"]>[0];

/** Measures the milliseconds from the call that changes a group until packets pass, or until none does. There is no anchor but a limit. */
export async function measureRules({ host, network, newUid }: BenchHost): Promise<Round[]> {
  const uids = Array.from({ length: groups }, newUid);
  const probed = uids[0] as string;
  const ruleOf = (port: number): Group["rules"][number] => ({ protocol: "tcp", fromPort: port, source: anywhere });
  const common = Array.from({ length: rulesPerGroup }, (_, index) => ruleOf(100 + index));
  const arp: Group["rules"][number] = { protocol: "arp", source: anywhere };
  for (const uid of uids) await host.firewall.setGroup({ uid, rules: [arp, ...common] });
  const connect = async (index: number) => {
    const uid = newUid();
    const port = await host.networks.attach({ uid, network, name: `port-${index}` });
    const own = [probed, uids[index % groups] as string];
    await host.firewall.setPort({ uid, network, address: port.address, mac: port.mac, groups: [...new Set(own)] });
    return port;
  };
  const all = [];
  for (let index = 0; index < ports; index += 1) all.push(await connect(index));
  const [from, to] = all as [Awaited<ReturnType<typeof connect>>, Awaited<ReturnType<typeof connect>>];

  const seen = { firstMs: 0, lastMs: 0 };
  const listening = spawn("ip", ["netns", "exec", to.namespace, process.execPath, "-e", receiver, String(probedPort)]);
  const lines = createInterface(listening.stdout);
  await once(lines, "line");
  lines.on("line", (line) => {
    seen.lastMs = Number(line);
    if (seen.firstMs === 0) seen.firstMs = seen.lastMs;
  });
  const sending = spawn("ip", ["netns", "exec", from.namespace, process.execPath, "-e", sender, to.address, String(probedPort)]);

  const found: Round[] = [];
  try {
    for (let change = 0; change < changes; change += 1) {
      const isOpen = change % 2 === 0;
      const opened: Group["rules"] = isOpen ? [{ protocol: "udp", fromPort: probedPort, source: anywhere }] : [];
      seen.firstMs = 0;
      const startedMs = Date.now();
      await host.firewall.setGroup({ uid: probed, rules: [arp, ...common, ...opened] });
      const calledMs = Date.now();
      if (isOpen) {
        while (seen.firstMs === 0) await pause(1);
        found.push({ ours: seen.firstMs - startedMs, anchor: calledMs - startedMs });
        await pause(silenceMs);
      } else {
        while (Date.now() - Math.max(seen.lastMs, calledMs) < silenceMs) await pause(5);
        found.push({ ours: Math.max(0, seen.lastMs - startedMs), anchor: calledMs - startedMs });
      }
    }
  } finally {
    for (const child of [sending, listening]) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  }
  return found;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
