import { requireTool } from "@cloudwright/platform";
import { createKubectl, kubectlTool, type Kubectl } from "@cloudwright/simulator/testing";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCloud, startCloud, type CommandOptions, type CommandOutcome } from "../cloud-command.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
if (!kubectlTool.found) console.log(`skipped the kubectl checks: ${kubectlTool.reason}`);

describe.skipIf(!tool.found)("the first hour of a new user", () => {
  let home: string;
  let interrupted: CommandOutcome;
  let first: CommandOutcome;
  const here = (): CommandOptions => ({
    home,
    environment: {
      CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
      CLOUDWRIGHT_KUBERNETES_LISTEN: "127.0.0.1:0",
      CLOUDWRIGHT_SIMULATED_CLOUDS_LISTEN: "127.0.0.1:0",
    },
  });
  const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud(here(), ...args);
  /** Runs a command line and expects it to succeed. Returns its output. */
  const typed = async (line: string): Promise<string> => {
    const { code, out, err } = await cloud(...line.split(" "));
    if (code !== 0) throw new Error(`cloud ${line} exited with ${code}: ${out}${err}`);
    return out;
  };
  const open = async (kubeconfig: string): Promise<Kubectl> => {
    const kubectl = await createKubectl(kubeconfig);
    onTestFinished(() => kubectl.close());
    return kubectl;
  };

  beforeAll(async () => {
    home = await createHome();
    const running = startCloud(here(), "quickstart");
    await waitUntil("the first operation has started", () => running.err().includes("create network/quickstart: RUNNING"));
    running.signal("SIGINT");
    interrupted = await running.done;
    first = await cloud("quickstart");
  });
  afterAll(async () => {
    await cloud("quickstart", "--stop");
    await removeHome(home);
  });

  test("M017 M130 the quick start continues after Ctrl-C and ends with a RUNNING cluster whose nodes kubectl lists", async () => {
    expect(interrupted.code).toBe(130);
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toMatch(/^RUNNING: cluster quickstart/m);
    const path = join(home, "quickstart.kubeconfig");
    expect(first.out).toContain(`kubeconfig: ${path}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await typed("sim inventory")).split("\n").filter((line) => line.includes("aws_eks_cluster"))).toHaveLength(1);
    if (!kubectlTool.found) return;
    const kubectl = await open(await readFile(path, "utf8"));
    await expect.poll(async () => (await kubectl.ok("get nodes --no-headers")).match(/ Ready /g)?.length).toBe(2);
  });

  test("M017 a second quick start creates nothing and restarts a stopped server", async () => {
    const uid = await typed("k8s get quickstart -o jsonpath={.metadata.uid}");
    expect((await cloud("quickstart", "--stop")).out).toContain("stopped the server for");
    expect((await cloud("k8s", "list")).code).not.toBe(0);
    const again = await cloud("quickstart");
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toMatch(/^RUNNING: cluster quickstart/m);
    expect(again.err).toContain("cluster/quickstart already exists");
    expect(await typed("k8s get quickstart -o jsonpath={.metadata.uid}")).toBe(uid);
  });

  test("M017 M004 the first cluster is created by VPC id, listed, and reached with its kubeconfig", async () => {
    const vpc = (await typed("network get quickstart -o jsonpath={.status.networkId}")).trim();
    expect(vpc).toMatch(/^vpc-/);
    await typed(`k8s create --name dev-cluster --vpc ${vpc} --workers 2 --version v1.29.0`);
    const phases = new Set<string>();
    await waitUntil("dev-cluster runs", async () => {
      const phase = /^dev-cluster +(\S+)/m.exec(await typed("k8s list"))?.[1] ?? "";
      phases.add(phase);
      return phase === "RUNNING";
    });
    expect(phases).toContain("PROVISIONING");
    expect(await typed("k8s list")).toMatch(/^dev-cluster +RUNNING +v?1\.29/m);
    const uid = (await typed("k8s get dev-cluster -o jsonpath={.metadata.uid}")).trim();
    const { code, out } = await cloud("k8s", "kubeconfig", uid);
    expect(code).toBe(0);
    expect(out).toMatch(/^apiVersion: v1\n/);
    if (!kubectlTool.found) return;
    const kubectl = await open(out);
    await expect.poll(async () => (await kubectl.ok("get nodes --no-headers")).match(/ Ready .* v1\.29/g)?.length).toBe(2);
    expect(await kubectl.ok("get pods -A --no-headers")).toContain("kube-system");
  });

  test("M017 the quick start deletes what it created and stops its server", async () => {
    await typed("delete cluster dev-cluster --wait --yes");
    const removed = await cloud("quickstart", "--delete");
    expect(removed).toMatchObject({ code: 0 });
    expect(removed.out).toContain("deleted all entities named quickstart");
    expect(removed.out).toContain("stopped the server for");
    await expect(stat(join(home, "quickstart.kubeconfig"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
