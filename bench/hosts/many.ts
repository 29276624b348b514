import type { Round } from "../statistics.ts";
import type { BenchHost } from "./bench-host.ts";

const count = 20;
const rounds = 2;
const pauseMs = 200;

/** Creates 20 instances at once, and measures the seconds until all of them accept SSH commands. There is no anchor but a limit. */
export async function measureMany(bench: BenchHost): Promise<Round[]> {
  const { host } = bench;
  const group = bench.newUid();
  await host.firewall.setGroup({ uid: group, rules: [{ protocol: "arp", source: { cidr: "0.0.0.0/0" } }] });
  const found: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const uids = Array.from({ length: count }, bench.newUid);
    const started = performance.now();
    await Promise.all(
      uids.map(async (uid) => {
        const { address } = await host.createInstance(bench.specOf(uid, { groups: [group], cpus: 1 }));
        await bench.waitForSsh(address, pauseMs);
      }),
    );
    found.push({ ours: (performance.now() - started) / 1000, anchor: 0 });
    await Promise.all(uids.map((uid) => host.removeInstance(uid)));
  }
  return found;
}
