import { createHash } from "node:crypto";

/** Distributions that images can be built of, with the release whose packages are used. */
export const distributions = { "debian-12": "bookworm" } as const;
export type Distribution = keyof typeof distributions;

/** What an instance needs to boot, to configure itself and to be reached over SSH. cloud-init brings Python. */
const packages = [
  "systemd",
  "systemd-sysv",
  "dbus",
  "openssh-server",
  "cloud-init",
  "iproute2",
  "iputils-ping",
  "sudo",
  "ca-certificates",
  "e2fsprogs",
];

/**
 * Files that are written into the image. The datasource is fixed, because a search for others takes seconds. cloud-init restarts the SSH
 * server if it has to change its configuration, so passwords are disabled beforehand.
 */
const files: Readonly<Record<string, string>> = {
  "etc/cloud/cloud.cfg.d/90-cloudwright.cfg":
    "datasource_list: [NoCloud, None]\nsystem_info:\n  network:\n    renderers: [networkd]\n",
  "etc/ssh/sshd_config.d/50-cloud-init.conf": "PasswordAuthentication no\n",
  "etc/machine-id": "",
  "etc/hostname": "localhost\n",
  "etc/fstab": "",
};

/** Files that the packages create and that each instance must have for itself, and what only takes space. */
const removed = ["etc/ssh/ssh_host_*", "etc/resolv.conf", "var/lib/dbus/machine-id", "var/log/*.log", "var/log/apt/*"];

/** Units that do nothing useful in an instance but delay its boot or use its network. */
const masked = ["apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer"];

/** Returns the arguments of mmdebstrap that build an image into a folder. The package sources are read from the standard input. */
export function renderRecipe(distribution: Distribution, target: string): string[] {
  const written = Object.entries(files).map(
    // The contents are constants of this file and contain no quotes.
    ([path, content]) => `--customize-hook=printf '%b' '${content.replaceAll("\n", "\\n")}' > "$1/${path}"`,
  );
  return [
    "--mode=root",
    "--variant=minbase",
    "--format=directory",
    `--include=${packages.join(",")}`,
    '--aptopt=Acquire::Languages "none"',
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    ...written,
    `--customize-hook=cd "$1" && rm -rf ${removed.join(" ")}`,
    `--customize-hook=chroot "$1" systemctl enable systemd-networkd.service ssh.service`,
    `--customize-hook=chroot "$1" systemctl mask ${masked.join(" ")}`,
    distributions[distribution],
    target,
    "-",
  ];
}

/** Returns a digest of everything that determines an image, except the versions of its packages. */
export function digestRecipe(distribution: Distribution): string {
  return createHash("sha256")
    .update(JSON.stringify(renderRecipe(distribution, "root")))
    .digest("hex");
}
