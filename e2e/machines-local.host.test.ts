import { processEnvironment } from "@cloudwright/platform";
import { runCloud } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { listHostObjects } from "./host-objects.ts";
import { describeMachineContract } from "./machines/machine-contract.ts";
import type { MachinePlatform, MachineSubject } from "./machines/machine-subject.ts";
import { startServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";
const label = "contract";

const local: MachineSubject = {
  cloud: "local",
  start: startLocalPlatform,
  account: { local: { agentLabel: label } },
  otherAccount: { local: { agentLabel: "nobody" } },
  network: { cidr: "10.97.0.0/24" },
  instance: {},
  volume: {},
  distantVolumes: [],
  changes: [
    {
      what: "a machine was switched off from inside",
      collection: "instances",
      name: "one",
      async make({ server: { home } }) {
        await waitUntil("the instance answers", async () => (await inside(home, "true")) === 0);
        await inside(home, "sudo", "systemctl", "poweroff");
      },
    },
  ],
};

async function inside(home: string, ...command: string[]): Promise<number | null> {
  return (await runCloud({ home }, "instance", "ssh", "one", "--", ...command)).code;
}

async function startLocalPlatform(): Promise<MachinePlatform> {
  const home = await createHome();
  const environment = { CLOUDWRIGHT_AGENT_HOSTS: label, CLOUDWRIGHT_AGENT_HOST_IMAGES: `debian-12=${image}` };
  const server = await startServer({ home, environment });
  const cloud = (...args: string[]) => runCloud({ home }, ...args);
  await waitUntil("the agent joined", async () => (await cloud("agent", "get", "embedded", "-p", "system")).code === 0);
  await cloud("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
  return {
    server,
    listLeft: () => Promise.resolve(listHostObjects(home)),
    async stop() {
      await server.stop();
      const left = listHostObjects(home);
      const { err } = await cloud("local", "clean", "--yes");
      await removeHome(home);
      if (err !== "" || left.length > 0) throw new Error(`left on the machine: ${left.join("; ")} ${err}`);
    },
  };
}

describeMachineContract(local, image === "" ? "run it with npm run test:hosts" : undefined);
