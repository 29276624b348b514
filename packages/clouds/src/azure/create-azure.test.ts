import { requireTool } from "@cloudwright/platform";
import { describe } from "vitest";
import { describeCloudLibrary, shortWaits, type LibraryFixture } from "../testing/library-contract.ts";
import { createAzure } from "./create-azure.ts";
import { startFakeLibrary, subnetId } from "./testing/fake-library.ts";
import { startSimulatedAzure } from "./testing/simulated-azure.ts";

const openssl = requireTool("openssl");
const canary = "canary-of-the-access-token-00000000";

describe.skipIf(!openssl.found)(`Azure${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  describeCloudLibrary("createAzure, a fake of Azure Resource Manager", async () => {
    const library = await startFakeLibrary(openssl.found ? openssl.path : "");
    const others = ["Network/networkInterfaces", "Network/publicIPAddresses", "Compute/disks"];
    return {
      library: library.open({ accessToken: async () => ({ token: canary }), clock: shortWaits }),
      cluster: { version: "1.33", nodeType: "Standard_D4s_v5" },
      instance: {
        image: "ubuntu-24.04",
        type: "Standard_B1s",
        subnet: subnetId,
        publicAddress: true,
        sshKeys: ["ssh-ed25519 AAAA me@here"],
      },
      secrets: [canary],
      listOthers: async () => others.flatMap((type) => library.cloud().list(`Microsoft.${type}`)),
      close: () => library.close(),
    };
  });
});

describeCloudLibrary("createAzure, the simulated API", openSimulated);

async function openSimulated(): Promise<LibraryFixture> {
  const { inventory, tenant, subnetId: subnet, options, close } = await startSimulatedAzure();
  const kept = ["azurerm_network_interface", "azurerm_public_ip", "azurerm_managed_disk", "azurerm_linux_virtual_machine"];
  const listOthers = async (): Promise<string[]> =>
    (await Promise.all(kept.map((type) => inventory.list(tenant, type)))).flat().map(({ id }) => id);
  const sshKeys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ada@example"];
  return {
    library: createAzure(options),
    cluster: { version: "1.29", nodeType: "Standard_D4s_v5" },
    instance: { image: "ubuntu-24.04", type: "Standard_B1s", subnet, publicAddress: true, sshKeys, userData: "#!/bin/sh\n" },
    secrets: [options.clientSecret],
    listOthers,
    close,
  };
}
