import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment, requireTool } from "@cloudwright/platform";

/** How a run of kubectl ended, and what it said. */
export interface KubectlRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl with a kubeconfig, and a cache of its own. */
export interface Kubectl {
  /** Runs a command written as in a shell, without quotes: words are separated by one blank. */
  run(command: string, input?: string): Promise<KubectlRun>;
  /** Runs a command that must succeed, and answers what it printed. */
  ok(command: string, input?: string): Promise<string>;
  /** Starts a command that goes on, and answers its lines as they come. */
  follow(command: string): { lines: AsyncIterable<string>; stop(): void };
  /** The same cluster, seen by another. */
  as(kubeconfig: string): Promise<Kubectl>;
  close(): Promise<void>;
}

/** The program, or why it is not there. */
export const kubectlTool = requireTool("kubectl");

/** Makes kubectl ready for a cluster. */
export async function createKubectl(kubeconfig: string): Promise<Kubectl> {
  const home = await mkdtemp(join(tmpdir(), "kubectl-"));
  const path = join(home, "config");
  await writeFile(path, kubeconfig, { mode: 0o600 });
  const others: Kubectl[] = [];
  const env = { ...processEnvironment, HOME: home, KUBECONFIG: path };
  const start = (command: string) => spawn(kubectlTool.found ? kubectlTool.path : "kubectl", command.split(" "), { env });

  const kubectl: Kubectl = {
    run: (command, input) =>
      new Promise((resolve, reject) => {
        const child = start(command);
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
        child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, stdout, stderr }));
        child.stdin.end(input ?? "");
      }),
    async ok(command, input) {
      const { code, stdout, stderr } = await kubectl.run(command, input);
      if (code !== 0) throw new Error(`kubectl ${command} ended with ${code}: ${stderr}${stdout}`);
      return stdout;
    },
    follow(command) {
      const child = start(command);
      async function* lines(): AsyncGenerator<string> {
        let rest = "";
        for await (const data of child.stdout as AsyncIterable<Buffer>) {
          const parts = (rest + data.toString()).split("\n");
          rest = parts.pop() ?? "";
          yield* parts;
        }
      }
      return { lines: lines(), stop: () => void child.kill() };
    },
    async as(other) {
      const made = await createKubectl(other);
      others.push(made);
      return made;
    },
    async close() {
      for (const other of others) await other.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return kubectl;
}
