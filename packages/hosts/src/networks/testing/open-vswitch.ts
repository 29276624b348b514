import { findTool } from "@cloudwright/platform";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const folder = "/run/openvswitch";
const schema = "/usr/share/openvswitch/vswitch.ovsschema";
const programs = ["ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ovs-ofctl", "ethtool"];

interface OpenVswitch {
  /** Why it could not be started. Undefined if it runs. */
  readonly problem?: string;
  stop(): Promise<void>;
}

/** Starts Open vSwitch in the namespaces of this process, so that the machine's own one is not touched. */
export async function startOpenVswitch(): Promise<OpenVswitch> {
  const missing = programs.filter((program) => findTool(program) === undefined);
  if (missing.length > 0)
    return {
      problem: `programs are missing: ${missing.join(", ")}; on Debian, run: apt-get install openvswitch-switch ethtool`,
      stop: async () => {},
    };
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder]);
  execFileSync("ovsdb-tool", ["create", `${folder}/conf.db`, schema]);
  const socket = `${folder}/db.sock`;
  const quiet = ["-vconsole:off", "-vsyslog:off"];
  const database = start("ovsdb-server", [`${folder}/conf.db`, `--remote=punix:${socket}`, ...quiet]);
  while (!existsSync(socket)) await sleep(10);
  execFileSync("ovs-vsctl", ["--no-wait", "init"]);
  const daemon = start("ovs-vswitchd", [`unix:${socket}`, ...quiet]);
  return {
    async stop() {
      for (const child of [daemon, database]) {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
      execFileSync("umount", ["--lazy", folder]);
    },
  };
}

function start(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: "ignore" });
}
