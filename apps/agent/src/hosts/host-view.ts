import { createEmptyAccount, type AccountView, type QuotaKind, type QuotaUsage } from "@cloudwright/clouds";
import { getCloud } from "@cloudwright/contract/clouds";
import { hasOpenVswitch } from "@cloudwright/hosts";
import { readdir, stat, statfs } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import type { OpenedHost } from "./open-host.ts";
import { parseOwnedId } from "./owned-id.ts";

const gib = 1024 ** 3;
const mib = 1024 ** 2;
/** The unit in which the kernel counts what a file occupies. */
const blockBytes = 512;
/** Memory that instances must leave for the machine itself. */
const reservedMemoryMib = 512;

/** What preflight checks can find out about a machine. */
export function createHostView(open: () => Promise<OpenedHost>): AccountView {
  const { measure } = getCloud("local").machines;
  const ownerOf = (id: string): { readonly owner?: string } => {
    const owner = parseOwnedId(id)?.entityUid;
    return owner === undefined ? {} : { owner };
  };
  return {
    ...createEmptyAccount("local").view,
    async getIdentity() {
      const { identity } = await open();
      return { accountId: identity.id, identity: identity.hostname };
    },
    // The agent is root on the machine.
    listDenied: async () => [],
    listZones: async () => [],
    async getLimits() {
      await open();
      const none = { networks: Infinity, publicIps: 0, natGatewaysPerZone: Infinity, internetGateways: Infinity };
      return { ...none, vcpus: availableParallelism() };
    },
    async findUsage(quota) {
      return findUsage(await open(), quota);
    },
    async listNetworks() {
      const { networks } = (await open()).host;
      const own = (await networks.list()).map(({ uid, cidr }) => ({ id: uid, ranges: [cidr], ...ownerOf(uid) }));
      const routes = (await networks.listRoutes()).map(({ range, device }) => ({
        id: `the machine's own ${device}`,
        ranges: [range.includes("/") ? range : `${range}/32`],
      }));
      return [...own, ...routes];
    },
    async listMachines() {
      const all = await (await open()).host.instances.list();
      return all.map(({ uid, cpus }) => ({ vcpus: cpus, ...ownerOf(uid) }));
    },
    async listOffered(types) {
      await open();
      return types.flatMap((name) => {
        const size = measure?.(name);
        return size === undefined ? [] : [{ name, vcpus: size.cpus, zones: [], isCommon: true }];
      });
    },
    hasImage: async (image) => (await open()).images.has(image),
    async hasOpenVswitch() {
      await open();
      return hasOpenVswitch();
    },
  };
}

/** Returns how much of the machine its instances may use in total, and how much they may use already, including stopped ones. */
async function findUsage({ host, directory }: OpenedHost, quota: QuotaKind): Promise<QuotaUsage | undefined> {
  const instances = await host.instances.list();
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, each) => total + each, 0);
  if (quota === "memoryMiB")
    return { limit: Math.floor(totalmem() / mib) - reservedMemoryMib, used: sum(instances.map(({ memoryMib }) => memoryMib)) };
  if (quota !== "diskGiB") return undefined;
  const { bavail, bsize } = await statfs(directory);
  const volumes = await host.volumes.list();
  // Disks are sparse files. What they have written already is no longer free.
  const written = await Promise.all(["disks", "volumes"].map((folder) => measureWritten(join(directory, folder))));
  return {
    limit: Math.floor((bavail * bsize + sum(written)) / gib),
    used: sum([...instances.map(({ diskGib }) => diskGib), ...volumes.map(({ sizeGib }) => sizeGib)]),
  };
}

/** Returns the bytes that the files in a folder occupy. */
async function measureWritten(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return found.reduce((total, each) => total + (each?.isFile() === true ? each.blocks * blockBytes : 0), 0);
}
