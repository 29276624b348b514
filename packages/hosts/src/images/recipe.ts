import { createHash } from "node:crypto";

/** Distributions from which images can be built, with the release that provides the packages. */
export const distributions = { "debian-12": "bookworm" } as const;
export type Distribution = keyof typeof distributions;

/**
 * Packages that an instance needs to boot, to configure itself and to accept SSH connections. cloud-init installs Python as a dependency.
 */
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
 * Files that are written into the image. The cloud-init datasource is fixed, because searching for others takes seconds. SSH passwords are
 * disabled in advance, because cloud-init restarts the SSH server if it has to change the server's configuration.
 */
const files: Readonly<Record<string, string>> = {
  "etc/cloud/cloud.cfg.d/90-cloudwright.cfg":
    "datasource_list: [NoCloud, None]\nsystem_info:\n  network:\n    renderers: [networkd]\n",
  "etc/ssh/sshd_config.d/50-cloud-init.conf": "PasswordAuthentication no\n",
  "etc/machine-id": "",
  "etc/hostname": "localhost\n",
  "etc/fstab": "",
};

/** Files that each instance must create for itself, and files that only take up space. */
const removed = ["etc/ssh/ssh_host_*", "etc/resolv.conf", "var/lib/dbus/machine-id", "var/log/*.log", "var/log/apt/*"];

/** Units that are useless in an instance, and delay its boot or use its network. */
const masked = ["apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer"];

/** Returns the arguments with which mmdebstrap builds an image into a folder. mmdebstrap reads the package sources from standard input. */
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
