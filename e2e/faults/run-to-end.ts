import { spawn } from "node:child_process";

/** Runs a program until it exits. Returns its exit code and output. */
export function runToEnd(
  command: readonly string[],
  how: { cwd: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<{ code: number | null; output: string }> {
  const env = Object.fromEntries(Object.entries(how.environment).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const child = spawn(command[0] as string, command.slice(1), { cwd: how.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}
