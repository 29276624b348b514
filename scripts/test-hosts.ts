/**
 * npm run test:hosts [-- vitest options]
 *
 * Runs the suites that create networks, instances and volumes on this machine. The suites need root and several programs. They run in a
 * separate network namespace and mount namespace, so that no packet leaves the machine and nothing stays mounted. Before the suites start,
 * the script builds the image for their instances in .cache/hosts. If the machine does not meet the requirements, the suites are skipped,
 * and the reason is printed. If CLOUDWRIGHT_REQUIRE contains `hosts`, a skip is a failure.
 */
import { buildTestImage, findHostObstacle, isolateCommand } from "@cloudwright/hosts/testing";
import { listRequiredTools, processEnvironment } from "@cloudwright/platform";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const obstacle = findHostObstacle();
if (obstacle !== undefined) {
  const isRequired = listRequiredTools().includes("hosts");
  console.log(`${isRequired ? "failed" : "skipped"}: test:hosts, because ${obstacle}`);
  process.exit(isRequired ? 1 : 0);
}
const vitest = ["npx", "vitest", "run", "--project", "hosts", ...process.argv.slice(2)];
const [file, args] = isolateCommand(vitest);
// Building the image needs a package mirror, which is unreachable from the network namespace.
const image = await buildTestImage(join(root, ".cache", "hosts"));
const env = { ...processEnvironment, CLOUDWRIGHT_HOST_IMAGE: image };
const { status } = spawnSync(file, args, { cwd: root, stdio: "inherit", env });
process.exit(status ?? 1);
