import type { HostDeps } from "../host-deps.ts";
import { thisMachine, type CheckDefinition, type HostCheck, type Machine, type ProbeDeps } from "./check.ts";
import { machineChecks } from "./machine-checks.ts";
import { toolChecks } from "./tool-checks.ts";

export interface HostReport {
  /** True if all required checks passed. */
  readonly isCapable: boolean;
  readonly checks: readonly HostCheck[];
}

/** Checks whether this machine can be a host. Changes nothing on the machine. Without root, skips the checks that need root. */
export async function probeHost(
  deps: Pick<HostDeps, "directory" | "run"> & { readonly machine?: Machine },
  signal?: AbortSignal,
): Promise<HostReport> {
  const probe: ProbeDeps = { ...deps, machine: deps.machine ?? thisMachine, signal };
  const { platform } = probe.machine;
  const linux: HostCheck = {
    name: "linux",
    ok: platform === "linux",
    isChecked: true,
    required: true,
    detail: platform,
    fix: platform === "linux" ? "" : "Use a Linux machine. Simulated clouds work on every operating system.",
  };
  const others = await Promise.all([...machineChecks, ...toolChecks].map((definition) => runCheck(probe, definition)));
  const checks = [linux, ...others];
  return { isCapable: checks.every(({ ok, required }) => ok || !required), checks };
}

async function runCheck(probe: ProbeDeps, { name, required, needsRoot = false, find }: CheckDefinition): Promise<HostCheck> {
  const { platform, isRoot } = probe.machine;
  const skip = (what: string, fix: string): HostCheck => ({
    name,
    required,
    ok: false,
    isChecked: false,
    detail: `not checked, because it needs ${what}`,
    fix,
  });
  if (platform !== "linux") return skip("Linux", "Use a Linux machine.");
  if (needsRoot && !isRoot) return skip("root", "Run the check as root: sudo cloud local check");
  const { ok, detail, fix = "" } = await find(probe);
  return { name, required, ok, isChecked: true, detail, fix: ok ? "" : fix };
}
