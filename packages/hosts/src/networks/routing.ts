import { readFile, writeFile } from "node:fs/promises";
import { openRecords } from "../records.ts";

const file = "/proc/sys/net/ipv4/ip_forward";

/** The host's setting for routing IPv4 packets, which networks need. */
export interface Routing {
  /** Switches routing on. Returns whether the host routed packets before the platform first did so. */
  enable(): Promise<boolean>;
  /** Puts the setting back that was found. */
  reset(): Promise<void>;
}

export async function openRouting(directory: string): Promise<Routing> {
  const records = await openRecords<{ readonly before: boolean }>(directory);
  const isOn = async (): Promise<boolean> => (await readFile(file, "utf8")).trim() === "1";
  return {
    async enable() {
      let record = await records.find("ipv4");
      if (record === undefined) {
        record = { before: await isOn() };
        await records.put("ipv4", record);
      }
      if (!(await isOn())) await writeFile(file, "1");
      return record.before;
    },
    async reset() {
      const record = await records.find("ipv4");
      if (record === undefined) return;
      if (!record.before) await writeFile(file, "0");
      await records.delete("ipv4");
    },
  };
}
