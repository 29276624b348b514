/**
 * node measure.ts NAME IMAGE: measures one operation of a host in the current network namespace, and prints the rounds as JSON. IMAGE is the
 * folder with a root file system. `bench/hosts.ts` runs this program in a namespace of its own.
 */
import { measureAttach } from "./attach.ts";
import { measureCreate } from "./create.ts";
import { openBenchHost, type BenchHost } from "./bench-host.ts";
import { measureMany } from "./many.ts";
import { measureRules } from "./rules.ts";
import type { Round } from "../statistics.ts";

const measurements = { create: measureCreate, many: measureMany, attach: measureAttach, rules: measureRules } satisfies Record<
  string,
  (host: BenchHost) => Promise<Round[]>
>;
export type HostMeasurement = keyof typeof measurements;

const [name, image] = process.argv.slice(2);
if (name !== undefined && image !== undefined) {
  await using host = await openBenchHost(image);
  console.log(JSON.stringify(await measurements[name as HostMeasurement](host)));
}
