import { access, chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createToken, Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { listAddresses, parseProviderAddress } from "./provider-address.ts";
import type { SpawnSettings } from "./spawned-provider.ts";

/** The address at which a mirror offers a simulated provider, and the provider's settings. */
export interface MirrorOptions extends SpawnSettings {
  readonly address: string;
  readonly version: string;
  /** Path of the provider's bundle. Default: the bundle that `npm run build` creates in this package. */
  readonly bundle?: string;
}

/** The path to which `npm run build` writes the bundle. */
export const defaultBundle = join(import.meta.dirname, "..", "..", "dist", "provider.cjs");

/**
 * Writes a launcher program to a filesystem mirror and returns a CLI configuration that uses the mirror. Lock files record the launcher's
 * hash. The launcher only loads the bundle, so its hash stays the same when the bundle changes.
 */
export async function writeProviderMirror(directory: string, options: MirrorOptions): Promise<string> {
  const { address, version, bundle = defaultBundle, definition, tenant, inventoryDirectory, faultsFile } = options;
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Fault(simulatorFaults.bad_address, `"${version}" is not a version`);
  }
  const file = resolve(bundle);
  await access(file).catch((error: unknown) => {
    throw new Fault(simulatorFaults.missing_bundle, `${file} does not exist`, { cause: error });
  });
  const settings: SpawnSettings = {
    definition,
    tenant,
    inventoryDirectory: resolve(inventoryDirectory),
    faultsFile: resolve(faultsFile),
  };
  // Caches compiled code, because compiling takes a fifth of the startup time. If the cache is not writable, Node continues without it.
  const cache = `require("node:module").enableCompileCache?.(${JSON.stringify(join(dirname(file), "compiled"))});`;
  const program = `#!/usr/bin/env node\n${cache}\nrequire(${JSON.stringify(file)}).start(${JSON.stringify(settings)});\n`;
  for (const each of listAddresses(address)) {
    const { host, namespace, name } = parseProviderAddress(each);
    const folder = join(directory, host, namespace, name, version, platformName());
    await mkdir(folder, { recursive: true });
    // The extension makes Node load the bundle as CommonJS in any directory.
    await replaceProgram(
      join(folder, `terraform-provider-${name}_v${version}.cjs`),
      join(directory, `.${createToken()}`),
      program,
    );
  }
  return `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(resolve(directory))}\n  }\n}\n`;
}

// Replaces the program atomically, because Terraform may be starting it at this moment.
async function replaceProgram(path: string, next: string, content: string): Promise<void> {
  await writeFile(next, content);
  await chmod(next, 0o755);
  await rename(next, path);
}

function platformName(): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return `${process.platform}_${architecture}`;
}
