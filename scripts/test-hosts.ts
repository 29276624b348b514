/**
 * npm run test:hosts [-- vitest options]
 *
 * Runs the suites that create networks, instances and volumes on this machine. The suites need root and the programs below. They run in a
 * separate network namespace and mount namespace, so that no packet leaves the machine and nothing stays mounted. Before the suites start,
 * the script builds the image for their instances in .cache/hosts. If the machine does not meet the requirements, the suites are skipped,
 * and the reason is printed. If CLOUDWRIGHT_REQUIRE contains `hosts`, a skip is a failure.
 */
import { buildTestImage } from "@cloudwright/hosts/testing";
import { findTool, listRequiredTools, processEnvironment } from "@cloudwright/platform";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Programs that every host suite needs, with their Debian packages. */
const programs: Readonly<Record<string, string>> = {
  "systemd-nspawn": "systemd-container",
  mmdebstrap: "mmdebstrap",
  nft: "nftables",
  dnsmasq: "dnsmasq-base",
  ip: "iproute2",
  "mkfs.ext4": "e2fsprogs",
  ssh: "openssh-client",
  unshare: "util-linux",
};

const obstacle = findObstacle();
if (obstacle !== undefined) {
  const isRequired = listRequiredTools().includes("hosts");
  console.log(`${isRequired ? "failed" : "skipped"}: test:hosts, because ${obstacle}`);
  process.exit(isRequired ? 1 : 0);
}
// Network namespaces are named by files in /run/netns. Mounting a file system there hides the machine's own namespaces.
const enter = 'ip link set lo up && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"';
const vitest = ["npx", "vitest", "run", "--project", "hosts", ...process.argv.slice(2)];
const isolated = ["--net", "--mount", "--propagation", "private", "sh", "-c", enter, "sh", ...vitest];
// Building the image needs a package mirror, which is unreachable from the network namespace.
const image = await buildTestImage(join(root, ".cache", "hosts"));
const env = { ...processEnvironment, CLOUDWRIGHT_HOST_IMAGE: image };
const { status } = spawnSync("unshare", isolated, { cwd: root, stdio: "inherit", env });
process.exit(status ?? 1);

function findObstacle(): string | undefined {
  if (process.platform !== "linux") return "the suites require Linux";
  if (process.getuid?.() !== 0) return "the suites require root";
  const missing = Object.keys(programs).filter((program) => findTool(program) === undefined);
  if (missing.length > 0) {
    const packages = missing.map((program) => programs[program]).join(" ");
    return `programs are missing: ${missing.join(", ")}; on Debian, run: apt-get install ${packages}`;
  }
  const probe = spawnSync("unshare", ["--net", "--mount", "--propagation", "private", "true"], { encoding: "utf8" });
  return probe.status === 0 ? undefined : `namespaces cannot be created: ${probe.error?.message ?? probe.stderr.trim()}`;
}
