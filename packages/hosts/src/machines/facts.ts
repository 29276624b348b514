import { isObject, parseJson } from "@cloudwright/platform";

/** What a machine says about itself. */
export interface MachineFacts {
  /** Name of the operating system. */
  readonly os: string;
  readonly kernel: string;
  readonly architecture: string;
  readonly cores: number;
  readonly memoryMib: number;
  readonly disks: readonly MachineDisk[];
  /** Content of /etc/machine-id. */
  readonly machineId: string;
}

export interface MachineDisk {
  /** Device path. */
  readonly device: string;
  readonly sizeMib: number;
  readonly model: string;
  readonly rotational: boolean;
  /** True if the disk, or a device on it, is mounted or is swap space. */
  readonly inUse: boolean;
}

const mostText = 200;
const mostDisks = 64;
const mib = 1024 ** 2;
const mostNumber = 2 ** 31 - 1;

/** Returns the name of the operating system from the content of os-release. */
export function parseOsRelease(text: string): string {
  const values = new Map<string, string>();
  for (const line of text.split("\n").slice(0, 200)) {
    const { key, value = "" } = /^(?<key>[A-Z0-9_]+)=(?<value>.*)$/.exec(line.trim())?.groups ?? {};
    if (key !== undefined) values.set(key, unquote(value));
  }
  const name =
    values.get("PRETTY_NAME") ?? [values.get("NAME") ?? values.get("ID"), values.get("VERSION_ID")].filter(Boolean).join(" ");
  return clean(name);
}

/** Returns the memory from the content of /proc/meminfo. Returns 0 if it cannot be read. */
export function parseMemory(text: string): number {
  const kib = /^MemTotal:\s+(?<kib>[0-9]{1,15}) kB/m.exec(text)?.groups?.["kib"];
  return limit(Math.round(Number(kib ?? 0) / 1024));
}

/** Returns the number of processors from the output of nproc. Returns 0 if it cannot be read. */
export function parseCores(text: string): number {
  const [line = ""] = text.trim().split("\n");
  return /^[0-9]{1,6}$/.test(line) ? Number(line) : 0;
}

/** Returns the disks from the output of `lsblk -J -b`, without loop devices, drives without a medium, and memory. */
export function parseDisks(text: string): MachineDisk[] {
  const json = parseJson(text);
  const devices = isObject(json) && Array.isArray(json["blockdevices"]) ? json["blockdevices"].filter(isObject) : [];
  const disks = devices.filter(
    (device) => device["type"] === "disk" && Number(device["size"]) > 0 && !/^(ram|zram|loop|nbd)/.test(textOf(device["name"])),
  );
  return disks.slice(0, mostDisks).map((disk) => ({
    device: clean(textOf(disk["path"]) || `/dev/${textOf(disk["name"])}`),
    sizeMib: limit(Math.round(Number(disk["size"]) / mib)),
    model: clean(textOf(disk["model"])),
    rotational: disk["rota"] === true || disk["rota"] === "1",
    inUse: isInUse(disk, 0),
  }));
}

/** Older releases of lsblk report a single mount point. Swap space has the mount point `[SWAP]`. */
function isInUse(device: Readonly<Record<string, unknown>>, depth: number): boolean {
  const points = [device["mountpoint"], device["mountpoints"]].flat();
  if (points.some((point) => typeof point === "string" && point !== "")) return true;
  const { children } = device;
  return depth < 8 && Array.isArray(children) && children.filter(isObject).some((child) => isInUse(child, depth + 1));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function unquote(value: string): string {
  const { inner } = /^(?<quote>["'])(?<inner>.*)\k<quote>$/.exec(value)?.groups ?? {};
  return (inner ?? value).replaceAll(/\\(["'\\$`])/g, "$1");
}

/** Makes a machine's text fit for display. */
function clean(text: string): string {
  return text
    .trim()
    .slice(0, mostText)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ");
}

function limit(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), mostNumber) : 0;
}

/** Parses the sections that `factsScript` prints. Sections that are missing or unreadable stay empty. */
export function parseFacts(text: string): MachineFacts {
  const sections = new Map<string, string>();
  for (const part of text.split(/^== /m).slice(1)) {
    const end = part.indexOf("\n");
    if (end > 0) sections.set(part.slice(0, end), part.slice(end + 1));
  }
  const section = (name: string): string => sections.get(name) ?? "";
  return {
    os: parseOsRelease(section("os")),
    kernel: clean(section("kernel")),
    architecture: clean(section("architecture")),
    cores: parseCores(section("cores")),
    memoryMib: parseMemory(section("memory")),
    disks: parseDisks(section("disks")),
    machineId: clean(section("machine-id")),
  };
}

/** A script that prints what `parseFacts` reads. It needs no root rights and changes nothing. */
export const factsScript = `s() { printf '\n== %s\n' "$1"; }
export LC_ALL=C
s os; cat /etc/os-release 2>/dev/null || cat /usr/lib/os-release 2>/dev/null
s kernel; uname -r
s architecture; uname -m
s cores; nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo
s memory; grep ^MemTotal: /proc/meminfo
s disks; lsblk -J -b -o NAME,PATH,TYPE,SIZE,MODEL,ROTA,MOUNTPOINTS 2>/dev/null || lsblk -J -b -o NAME,TYPE,SIZE,MODEL,ROTA,MOUNTPOINT 2>/dev/null
s machine-id; cat /etc/machine-id 2>/dev/null
exit 0`;
