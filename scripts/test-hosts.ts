/**
 * npm run test:hosts [-- vitest options]
 *
 * Runs the suites that create networks, instances and volumes on this machine. The suites need root and several programs. Each suite runs in
 * a network namespace and a mount namespace of its own, so that no packet leaves the machine and nothing stays mounted. Three suites run at a
 * time, because they mostly wait. With options, the selected suites run one after the other. Before the suites start, the script builds the
 * image for their instances in .cache/hosts. If the machine does not meet the requirements, the suites are skipped, and the reason is
 * printed. If CLOUDWRIGHT_REQUIRE contains `hosts`, a skip is a failure.
 */
import { buildTestImage, findHostObstacle, isolateCommand } from "@cloudwright/hosts/testing";
import { listRequiredTools, processEnvironment } from "@cloudwright/platform";
import { spawn, spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "..");
const obstacle = findHostObstacle();
if (obstacle !== undefined) {
  const isRequired = listRequiredTools().includes("hosts");
  console.log(`${isRequired ? "failed" : "skipped"}: test:hosts, because ${obstacle}`);
  process.exit(isRequired ? 1 : 0);
}
// Building the image needs a package mirror, which is unreachable from the network namespaces.
const image = await buildTestImage(join(root, ".cache", "hosts"));
const env = { ...processEnvironment, CLOUDWRIGHT_HOST_IMAGE: image };
const options = process.argv.slice(2);
process.exitCode = options.length > 0 ? runSelected() : await runAll();

function runSelected(): number {
  const [file, args] = isolateCommand(renderVitest(options));
  return spawnSync(file, args, { cwd: root, stdio: "inherit", env }).status ?? 1;
}

/** Runs all suites and returns the highest exit code. The largest files come first, because they take longest. */
async function runAll(): Promise<number> {
  const suites = globSync("{packages,apps,scripts,e2e,bench}/**/*.host.test.ts", { cwd: root, exclude: ["**/node_modules/**"] });
  const sizeOf = (suite: string): number => statSync(join(root, suite)).size;
  const waiting = suites.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const work = async (): Promise<number> => {
    const codes = [0];
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) codes.push(await runSuite(suite));
    return Math.max(...codes);
  };
  return Math.max(...(await Promise.all([work(), work(), work()])));
}

/** Runs one suite. Prints its output when it has ended, so that the outputs of suites do not mix. */
async function runSuite(suite: string): Promise<number> {
  const [file, args] = isolateCommand(renderVitest([suite]));
  const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  process.stdout.write(out + err);
  return ended;
}

function renderVitest(rest: readonly string[]): string[] {
  return ["npx", "vitest", "run", "--project", "hosts", ...rest];
}
