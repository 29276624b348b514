import { claimMachine, hostsFaults } from "@cloudwright/hosts";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHostService } from "./open-host.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hosts = { label: "rack-1", images: {}, imageFolders: [], isShared: false };

test("M206 of two agents on one machine only one is its host, and the other one takes over when the first one is gone", async () => {
  const directory = await mkdtemp(join(tmpdir(), "cloudwright-claim-"));
  const other = await claimMachine();
  const service = await createHostService({ log }, { directory, hosts });
  service?.start();
  await expect(service?.get()).rejects.toMatchObject({ code: hostsFaults.machine_claimed.code });
  // An agent that is not the host creates nothing.
  expect(await readdir(directory)).toEqual([]);
  await other();
  expect((await service?.get())?.directory).toBe(join(directory, "host"));
  const third = await createHostService({ log }, { directory: `${directory}-2`, hosts });
  third?.start();
  await expect(third?.get()).rejects.toMatchObject({ code: hostsFaults.machine_claimed.code });
  await service?.close();
  await rm(directory, { recursive: true });
});
