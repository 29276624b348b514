import { readFile, writeFile } from "node:fs/promises";
import { openRecords } from "../records.ts";

const file = "/proc/sys/net/ipv4/ip_forward";

/** The host's IPv4 forwarding setting. Networks require forwarding. */
export interface Routing {
  /** Enables forwarding. Returns true if forwarding was on before the platform first enabled it. */
  enable(): Promise<boolean>;
  /** Restores the original setting. */
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
