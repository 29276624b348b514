import { createToken } from "@cloudwright/platform";
import { describeError, Fault } from "@cloudwright/platform/fault";
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse, stringify } from "yaml";
import { cliFaults } from "./faults.ts";

interface Kubeconfig {
  readonly [field: string]: unknown;
}

const lists = ["clusters", "contexts", "users"] as const;

/** Writes a kubeconfig to a file, or merges it into the existing file. The write is atomic, and only the owner can read the file. */
export async function keepKubeconfig(file: string, text: string, merge: boolean): Promise<void> {
  const there = merge ? readIfThere(file) : undefined;
  replaceFile(
    file,
    there === undefined ? text : stringify(mergeKubeconfigs(parseKubeconfig(file, there), parse(text) as Kubeconfig)),
  );
}

/** Replaces entries of the same name and keeps the rest. */
function mergeKubeconfigs(old: Kubeconfig, added: Kubeconfig): Kubeconfig {
  const merged = lists.map((list) => {
    const [before, after] = [namedIn(old, list), namedIn(added, list)];
    return [list, [...before.filter(({ name }) => after.every((entry) => entry.name !== name)), ...after]];
  });
  return { apiVersion: "v1", kind: "Config", ...old, ...Object.fromEntries(merged), "current-context": added["current-context"] };
}

function namedIn(config: Kubeconfig, list: string): { readonly name: unknown }[] {
  const entries = config[list];
  return Array.isArray(entries) ? (entries as { name: unknown }[]) : [];
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Fault(cliFaults.bad_kubeconfig, `cannot read ${file}: ${describeError(error)}`);
  }
}

function parseKubeconfig(file: string, text: string): Kubeconfig {
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (cause) {
    // The parser's message quotes the offending lines, which may contain a key.
    throw new Fault(cliFaults.bad_kubeconfig, `${file} is not valid YAML`, { cause: (cause as Error).name });
  }
  if (typeof value !== "object" || Array.isArray(value)) throw new Fault(cliFaults.bad_kubeconfig, `${file} is not a kubeconfig`);
  return value as Kubeconfig;
}

function replaceFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // If the file is a symbolic link, replaces the link's target and keeps the link.
    const target = readIfThere(file) === undefined ? file : realpathSync(file);
    const next = `${target}.${createToken().slice(0, 8)}`;
    try {
      writeFileSync(next, text, { mode: 0o600, flag: "wx" });
      chmodSync(next, 0o600);
      renameSync(next, target);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(cliFaults.bad_kubeconfig, `cannot write ${file}: ${describeError(error)}`);
  }
}
