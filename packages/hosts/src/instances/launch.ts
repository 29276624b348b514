import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { nameObject } from "../names.ts";
import type { InstanceSpec } from "./driver.ts";
import { machineIdOf, pathsOf } from "./disk.ts";

/**
 * Runs an instance until it is powered off. Starts it again when nspawn exits with code 133, which means that the instance is rebooting.
 * Arguments: the console file, the files for entering the launcher's groups, `--`, the files for entering the instance's groups, `--`, the
 * command. The console's output is kept in two files of at most 1 MiB each. Output that cannot be written is discarded, because nspawn
 * would stop the instance if nothing read its output.
 */
export const launcher = `
console=$1; shift
while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift
run() (
  while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift
  exec "$@"
)
while :; do run "$@"; [ $? = 133 ] || break; done 2>&1 |
  while :; do
    [ ! -s "$console" ] || mv -f "$console" "$console.1"
    dd bs=1024 count=1024 of="$console" 2> /dev/null || exec cat > /dev/null
    [ -s "$console" ] || break
  done
`;

/**
 * Privileges of a plain instance: the defaults of nspawn, plus control over its own network, minus capabilities that systemd, networkd and
 * sshd do not need. Without CAP_MKNOD, the instance cannot create device nodes. Without CAP_DAC_READ_SEARCH, it cannot open files of the
 * host by handle.
 */
const plainRights = [
  "--capability=CAP_NET_ADMIN",
  "--drop-capability=CAP_MKNOD,CAP_DAC_READ_SEARCH,CAP_LINUX_IMMUTABLE,CAP_AUDIT_CONTROL,CAP_IPC_OWNER,CAP_LEASE,CAP_NET_BROADCAST",
];

/**
 * Privileges of an instance that is a node of a cluster. There, kubelet and containerd mount file systems and load programs into the
 * kernel.
 */
const nodeRights = ["--capability=all", "--system-call-filter=add_key keyctl bpf @mount"];
/** Folders of a node that must not be on an overlay file system, because containerd creates overlays there. */
const nodeFolders = ["/var/lib/containerd", "/var/lib/kubelet", "/var/lib/etcd"];

/**
 * Starts the processes of an instance, which keep running when this process exits. Returns a function that tells whether the launcher has
 * exited.
 */
export async function launch(
  directory: string,
  spec: InstanceSpec,
  entries: { readonly launcher: readonly string[]; readonly instance: readonly string[] },
): Promise<() => boolean> {
  const { console, mount } = pathsOf(directory, spec.uid);
  const binds =
    spec.nodeOfCluster === true
      ? nodeFolders.map((folder) => ({ source: join(mount, folder.replaceAll("/", "-").slice(1)), folder }))
      : [];
  for (const { source } of binds) await mkdir(source, { recursive: true });
  const command = [
    "systemd-nspawn",
    ...renderArguments(directory, spec),
    ...binds.map(({ source, folder }) => renderBind("--bind", source, folder)),
  ];
  const args = [
    "-c",
    launcher,
    "cloudwright-instance",
    console,
    ...entries.launcher,
    "--",
    ...entries.instance,
    "--",
    ...command,
  ];
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LC_ALL: "C.UTF-8",
    // Makes the instance's own network settings writable, but not the rest of /proc and /sys. With a writable /sys, networkd would wait for
    // udev.
    SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network",
  };
  const child = spawn("/bin/sh", args, { cwd: "/", env, detached: true, stdio: "ignore" });
  let hasEnded = false;
  child.once("exit", () => (hasEnded = true));
  child.once("error", () => (hasEnded = true));
  child.unref();
  return () => hasEnded;
}

function renderArguments(directory: string, { uid, name, port, nodeOfCluster }: InstanceSpec): string[] {
  const { root, seed } = pathsOf(directory, uid);
  return [
    "--quiet",
    "--boot",
    "--keep-unit",
    "--register=no",
    "--console=read-only",
    `--directory=${root}`,
    `--machine=${nameObject("machine", uid)}`,
    `--hostname=${name}`,
    `--uuid=${machineIdOf(uid)}`,
    `--network-namespace-path=/run/netns/${port.namespace}`,
    "--resolv-conf=off",
    "--timezone=off",
    "--link-journal=no",
    renderBind("--bind-ro", seed, "/var/lib/cloud/seed/nocloud"),
    ...(nodeOfCluster === true ? nodeRights : plainRights),
  ];
}

function renderBind(option: string, source: string, target: string): string {
  return `${option}=${source.replaceAll(/[\\:]/g, "\\$&")}:${target}`;
}
