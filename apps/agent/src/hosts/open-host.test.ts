import type { HostCheck } from "@cloudwright/hosts";
import { expect, test } from "vitest";
import { createHostService } from "./open-host.ts";

const hosts = { label: "rack-1", images: {}, imageFolders: [], isShared: false };
const nft: HostCheck = {
  name: "nft",
  ok: false,
  isChecked: true,
  required: true,
  detail: "nft is not installed",
  fix: "apt-get install nftables",
};
const kvm: HostCheck = { ...nft, name: "kvm", required: false };
const bridge: HostCheck = { ...nft, name: "bridge", isChecked: false };

function createLog() {
  const lines: string[] = [];
  const write = (...words: unknown[]): void => void lines.push(JSON.stringify(words));
  return { lines, log: { info: write, warn: write, error: write } };
}

test("M206 an agent without a label for its machine is no host", async () => {
  expect(await createHostService(createLog(), { directory: "/nowhere", hosts: undefined })).toBeUndefined();
});

test("M206 a machine that lacks something gets its tasks, logs what is missing, and fails them with the same text", async () => {
  const { lines, log } = createLog();
  const probe = async () => ({ isCapable: false, checks: [nft, kvm, bridge] });
  const service = await createHostService({ log, probe }, { directory: "/nowhere", hosts });
  expect(service?.labels).toEqual({ machines: "rack-1" });
  service?.start();
  const message = "the machine cannot be a host: nft: nft is not installed (apt-get install nftables)";
  await expect(service?.get()).rejects.toMatchObject({ code: "hosts.not_a_host", message });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("apt-get install nftables");
  await service?.close();
});
