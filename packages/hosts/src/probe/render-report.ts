import type { HostReport } from "./probe-host.ts";

const prefix = "cloudwright.dev/";

/** Labels that an agent reports, with the checks that each label requires. */
const labels: Readonly<Record<string, readonly string[]>> = {
  "hosts-driver-container": ["systemd-nspawn", "overlayfs", "cgroups"],
  "hosts-driver-vm": ["kvm"],
  "hosts-nft": ["nft"],
  "hosts-ovs": ["open-vswitch"],
  "hosts-kvm": ["kvm"],
  "hosts-loop": ["loop"],
  "hosts-image-build": ["mmdebstrap"],
};

/** Returns the labels that describe which instances and networks the machine can host. A machine that cannot be a host has no labels. */
export function renderLabels({ isCapable, checks }: HostReport): Record<string, string> {
  if (!isCapable) return {};
  const isOk = (name: string): boolean => checks.some((check) => check.name === name && check.ok);
  const given = Object.keys(labels).filter((label) => labels[label]?.every(isOk));
  return Object.fromEntries(["hosts", ...given].map((label) => [`${prefix}${label}`, "true"]));
}

/** Renders a report for the terminal, with one line per check and one more line per problem. */
export function renderReport({ isCapable, checks }: HostReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, ok, required, isChecked, detail, fix }) => {
    const mark = ok ? "ok" : !isChecked ? "unknown" : required ? "missing" : "optional";
    const line = `${mark.padEnd(8)}  ${name.padEnd(width)}  ${detail}`;
    // For checks that could not be run, the fix is printed only once, with the failed check that prevented them.
    return fix === "" || !isChecked ? [line] : [line, `${" ".repeat(width + 12)}${fix}`];
  });
  const missing = checks.filter(({ ok, required, isChecked }) => required && isChecked && !ok).map(({ name }) => name);
  const summary = isCapable
    ? "This machine can be a host of the local cloud."
    : `This machine cannot be a host of the local cloud yet. Missing: ${missing.join(", ")}.`;
  return [...lines, "", summary].join("\n");
}
