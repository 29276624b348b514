import { describeCloudPart, describeCloudProvider } from "@cloudwright/clouds/testing";
import { openHost, runTool } from "@cloudwright/hosts";
import { processEnvironment, systemClock } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { createHostProvider } from "./host-provider.ts";
import { createImageSource } from "./image-source.ts";
import type { OpenedHost } from "./open-host.ts";
import { openParts } from "./open-parts.ts";
import { renderOwnedId } from "./owned-id.ts";

const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";
const skipped = image === "" ? "npm run test:hosts builds the image that it needs" : "";

async function openTestHost(): Promise<OpenedHost & { close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "cloudwright-parts-"));
  const host = await openHost({ directory, run: runTool, clock: systemClock });
  return {
    directory,
    host,
    images: createImageSource(host.images, { "debian-12": image }),
    imageFolders: [],
    configuredImages: {},
    identity: { id: "machine-test", hostname: "test" },
    async close() {
      await host.clean();
      await rm(directory, { recursive: true });
    },
  };
}

function getPart(opened: OpenedHost, entityUid: string, name: string) {
  const part = openParts(opened, entityUid).get(name);
  if (part === undefined) throw new Error(`the host has no part ${name}`);
  return part;
}

describeCloudPart(
  "local_network",
  async () => {
    const opened = await openTestHost();
    return {
      open: (entityUid) => getPart(opened, entityUid, "local_network"),
      attributes: () => ({ cidr: "10.97.0.0/24", domain: "shop.internal", nat: true }),
      change: { domain: "store.internal", nat: false },
      close: () => opened.close(),
    };
  },
  skipped,
);

describe.skipIf(skipped !== "")("the provider of a machine", () => {
  describeCloudProvider("local", new Set(["identity", "view", "owned-resources", "direct"]), async () => {
    const opened = await openTestHost();
    const service = { label: "local", labels: {}, start: () => undefined, get: async () => opened, close: async () => undefined };
    return {
      provider: createHostProvider(service),
      region: "",
      credentials: { local: {} },
      async createNetwork(entityUid, cidr) {
        const uid = renderOwnedId({ entityUid, name: "this" });
        await opened.host.networks.ensure({ uid, cidr, nat: false });
        return uid;
      },
      createClusterVolume: async () => Promise.reject(new Error("this cloud has no clusters")),
      close: () => opened.close(),
    };
  });
});

const network = { entityUid: "0199aaaa-0000-7000-8000-0000000000aa", name: "this" };
const { publicKey } = generateKeyPair();

describeCloudPart(
  "local_instance",
  async () => {
    const opened = await openTestHost();
    const uid = renderOwnedId(network);
    await opened.host.networks.ensure({ uid, cidr: "10.98.0.0/24", nat: false, domain: "shop.internal" });
    return {
      open: (entityUid) => getPart(opened, entityUid, "local_instance"),
      attributes: (entityUid) => ({
        name: `web-${entityUid.slice(-4)}`,
        project: "shop",
        network_id: uid,
        image: "debian-12",
        machine_type: "1x0.5",
        disk_gib: 1,
        user: "admin",
        ssh_keys: [publicKey],
        user_data: "#!/bin/sh\ntrue\n",
        groups: [],
        power_state: "running",
        ready: true,
        failed: false,
      }),
      change: { machine_type: "0.5x0.25", power_state: "stopped" },
      close: () => opened.close(),
    };
  },
  skipped,
);
