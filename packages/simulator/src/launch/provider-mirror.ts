import { access, chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createToken, Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { listAddresses, parseProviderAddress } from "./provider-address.ts";
import type { SpawnSettings } from "./spawned-provider.ts";

/** Under which name a mirror offers a simulated provider, and what that is told when it starts. */
export interface MirrorOptions extends SpawnSettings {
  readonly address: string;
  readonly version: string;
  /** The provider's bundle; `npm run build` makes the one of this package. */
  readonly bundle?: string;
}

/** Where `npm run build` puts the bundle. */
export const defaultBundle = join(import.meta.dirname, "..", "..", "dist", "provider.cjs");

/**
 * Puts a program into a filesystem mirror and returns the text of a CLI configuration that uses the mirror. The program is three lines that load
 * the bundle from elsewhere: its hash, which lock files keep, outlives every rebuild.
 */
export async function writeProviderMirror(directory: string, options: MirrorOptions): Promise<string> {
  const { address, version, bundle = defaultBundle, definition, tenant, inventoryDirectory, faultsFile } = options;
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Fault(simulatorFaults.bad_address, `"${version}" is not a version`);
  }
  const file = resolve(bundle);
  await access(file).catch((error: unknown) => {
    throw new Fault(simulatorFaults.missing_bundle, `there is no ${file}`, { cause: error });
  });
  const settings: SpawnSettings = {
    definition,
    tenant,
    inventoryDirectory: resolve(inventoryDirectory),
    faultsFile: resolve(faultsFile),
  };
  // Compiling is a fifth of a start; where the cache cannot be written, node goes on without it.
  const cache = `require("node:module").enableCompileCache?.(${JSON.stringify(join(dirname(file), "compiled"))});`;
  const program = `#!/usr/bin/env node\n${cache}\nrequire(${JSON.stringify(file)}).start(${JSON.stringify(settings)});\n`;
  for (const each of listAddresses(address)) {
    const { host, namespace, name } = parseProviderAddress(each);
    const folder = join(directory, host, namespace, name, version, platformName());
    await mkdir(folder, { recursive: true });
    // The ending makes node take it for CommonJS wherever it lies.
    await replaceProgram(
      join(folder, `terraform-provider-${name}_v${version}.cjs`),
      join(directory, `.${createToken()}`),
      program,
    );
  }
  return `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(resolve(directory))}\n  }\n}\n`;
}

// Terraform may be starting it at this moment.
async function replaceProgram(path: string, next: string, content: string): Promise<void> {
  await writeFile(next, content);
  await chmod(next, 0o755);
  await rename(next, path);
}

function platformName(): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return `${process.platform}_${architecture}`;
}
