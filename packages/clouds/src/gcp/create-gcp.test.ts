import { Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { describeCloudLibrary, shortWaits, type LibraryFixture } from "../testing/library-contract.ts";
import { createGcp } from "./create-gcp.ts";
import type { GcpLibraryOptions } from "./library/options.ts";
import { fakeProject, startFakeGoogle } from "./testing/fake-google.ts";

const accessToken = "canary-access-token-of-the-contract";

describeCloudLibrary("createGcp, a fake of GKE and Compute Engine", openFake);
describeCloudLibrary("createGcp, the simulated API", openSimulated);

async function openFake(): Promise<LibraryFixture> {
  const server = await startFakeGoogle();
  server.tokens.add(accessToken);
  const { endpoints } = server;
  const library = createGcp({ projectId: fakeProject, accessToken, zone: "us-central1-a", endpoints, clock: shortWaits });
  return {
    library,
    cluster: { version: "1.29", nodeType: "e2-standard-4", region: "us-central1" },
    instance: { image: "debian-12", type: "e2-small" },
    secrets: [accessToken],
    close: () => server.close(),
  };
}

async function openSimulated(): Promise<LibraryFixture> {
  const inventory = createMemoryInventory();
  const host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  const { options } = await host.issue("contract", "gcp", { region: "us-central1" });
  const { serviceAccountKey, endpoints } = options as Pick<Required<GcpLibraryOptions>, "serviceAccountKey" | "endpoints">;
  const library = createGcp({ projectId: "my-project", serviceAccountKey, zone: "us-central1-a", endpoints, clock: shortWaits });
  const { private_key: privateKey = "" } = serviceAccountKey as Readonly<Record<string, string>>;
  const listOthers = async (): Promise<string[]> =>
    (await inventory.list("contract")).flatMap(({ type, id }) => (type.startsWith("cloud_") ? [] : [`${type} ${id}`]));
  const sshKeys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ada@example"];
  return {
    library,
    cluster: { version: "1.29", nodeType: "e2-standard-4", region: "us-central1" },
    instance: { image: "ubuntu-24.04", type: "e2-small", sshKeys, userData: "#!/bin/sh\necho hello\n" },
    secrets: [privateKey],
    listOthers,
    close: () => host.close(),
  };
}
