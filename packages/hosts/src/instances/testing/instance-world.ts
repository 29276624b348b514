import { processEnvironment, systemClock } from "@cloudwright/platform";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openImages } from "../../images/images.ts";
import { runTool, type ToolResult } from "../../run-tool.ts";
import { createContainerDriver } from "../container.ts";
import type { InstanceSpec } from "../driver.ts";
import { openInstances, type Instances } from "../instances.ts";
import { exampleSpec } from "./example-spec.ts";
import { listLeftovers } from "./leftovers.ts";
import { createKeyPair, runOverSsh } from "./ssh-client.ts";
import { createTestNetwork, type TestNetwork } from "./test-network.ts";

/** Folder with the root file system of the test image. See `buildTestImage`. */
export const testImage = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";

/** A host folder with an image, a network and keys, for test suites about instances. */
export interface InstanceWorld {
  readonly directory: string;
  readonly network: TestNetwork;
  /** Opens the instances as a newly started agent would. */
  open(options?: { readonly allowSharedHost?: boolean }): Promise<Instances>;
  /** Creates the port of an instance and returns the instance's specification. */
  specOf(uid: string, change?: Partial<InstanceSpec>): Promise<InstanceSpec>;
  ssh(spec: InstanceSpec, command: string): Promise<ToolResult>;
  /** Repeats a command over SSH until it succeeds, and returns its output. */
  reach(spec: InstanceSpec, command: string): Promise<string>;
  /** Removes everything and checks that nothing is left on the host. */
  close(): Promise<void>;
}

export async function createInstanceWorld(): Promise<InstanceWorld> {
  const directory = await mkdtemp(join(tmpdir(), "cloudwright-host-"));
  const deps = { directory, run: runTool, clock: systemClock };
  const images = await openImages(deps);
  await images.importRootfs({ name: exampleSpec.image, path: testImage }, undefined);
  const network = await createTestNetwork();
  const [key, hostKey] = [await createKeyPair(), await createKeyPair()];

  async function open(options: { readonly allowSharedHost?: boolean } = {}): Promise<Instances> {
    return openInstances({ ...deps, images: await openImages(deps), driver: createContainerDriver(deps), ...options });
  }
  const ssh = (spec: InstanceSpec, command: string): Promise<ToolResult> =>
    runOverSsh({ user: spec.access.user, address: spec.port.address, key, hostKey: hostKey.publicKey }, command);

  return {
    directory,
    network,
    open,
    ssh,
    async specOf(uid, change = {}) {
      const access = { user: "admin", authorizedKeys: [key.publicKey], hostKey };
      return { ...exampleSpec, uid, name: uid, access, memoryMib: 1024, port: await network.port(uid), ...change };
    },
    async reach(spec, command) {
      let output = "";
      const attempt = async (): Promise<number> => {
        const { code, stdout } = await ssh(spec, command);
        output = stdout;
        return code;
      };
      await expect.poll(attempt, { interval: 20, timeout: 90_000 }).toBe(0);
      return output.trim();
    },
    async close() {
      const instances = await open();
      for (const { uid } of await instances.list()) await instances.remove(uid, undefined);
      await instances.restore(undefined);
      expect(await listLeftovers(directory)).toEqual([]);
      await network.remove();
      await rm(directory, { recursive: true });
    },
  };
}
