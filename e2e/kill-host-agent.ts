import { systemClock } from "@cloudwright/platform";
import { readdirSync, readFileSync } from "node:fs";

/** Starts work and kills the agent of a server after a while. The server starts the agent again. Returns whether the agent was killed. */
export async function killAgentDuring(serverPid: number, afterMs: number, work: () => Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const done = work().finally(() => (isDone = true));
  await Promise.race([systemClock.sleep(afterMs), done]);
  const agent = findAgent(serverPid);
  const isKilled = !isDone && agent !== undefined;
  if (isKilled) process.kill(agent, "SIGKILL");
  await done;
  return isKilled;
}

/** Returns the agent that a server runs as its child. */
function findAgent(serverPid: number): number | undefined {
  const children = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const isAgent = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent/src/main.ts");
      return isAgent && new RegExp(`^PPid:\\s+${serverPid}$`, "m").test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  });
  return children[0] === undefined ? undefined : Number(children[0]);
}
