import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { parameterOf, subscriptionPath } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

/** The images of the simulated marketplace, as publisher, offer, SKU and versions. Machines also accept other images. */
const images: readonly (readonly [publisher: string, offer: string, sku: string, ...versions: string[]])[] = [
  ["Canonical", "ubuntu-24_04-lts", "server", "24.04.202510010", "24.04.202511100"],
  ["Canonical", "ubuntu-24_04-lts", "server-arm64", "24.04.202511100"],
  ["Canonical", "0001-com-ubuntu-server-jammy", "22_04-lts-gen2", "22.04.202511100"],
  ["Canonical", "0001-com-ubuntu-server-jammy", "22_04-lts-arm64", "22.04.202511100"],
  ["Debian", "debian-12", "12-gen2", "0.20251112.2294"],
  ["Debian", "debian-12", "12-arm64", "0.20251112.2294"],
];

const levels = ["publisher", "offer", "sku", "version"] as const;
const parts = ["publishers", "artifacttypes/vmimage/offers", "skus", "versions"] as const;
const titles = ["ListPublishers", "ListOffers", "ListSkus", "List"] as const;
const base = "/subscriptions/{subscriptionId}/providers/Microsoft.Compute/locations/{location}";

/** Operations that list marketplace images. */
export const imageOperations: readonly ApiOperation[] = [
  ...levels.map((_level, depth): ApiOperation => ({
    name: `VirtualMachineImages_${titles[depth] ?? ""}`,
    match: { method: "GET", path: pathAt(depth) },
    async run(call) {
      const found = select(call, depth);
      const names = [...new Set(found.flatMap((image) => (depth === 3 ? image.slice(3) : [image[depth] ?? ""])))];
      // Marketplace lists are plain arrays, not pages.
      return { content: names.map((name) => describe(call, depth, name)) };
    },
  })),
  {
    name: "VirtualMachineImages_Get",
    match: { method: "GET", path: `${pathAt(3)}/{version}` },
    async run(call) {
      const version = parameterOf(call, "version");
      const [image] = select(call, 3);
      const all = image?.slice(3) ?? [];
      const found = version === "latest" ? all.at(-1) : all.find((each) => each === version);
      if (found === undefined) return refuse("NotFound", `The image version '${version.slice(0, 50)}' was not found.`, 404);
      const architecture = image?.[2].includes("arm64") === true ? "Arm64" : "x64";
      return {
        content: {
          ...describe(call, 3, found),
          properties: { hyperVGeneration: "V2", architecture, osDiskImage: { operatingSystem: "Linux" }, dataDiskImages: [] },
        },
      };
    },
  },
];

function pathAt(depth: number): string {
  const segments = parts.map((part, index) => (index < depth ? `${part}/{${levels[index] ?? ""}}` : part));
  return `${base}/${segments.slice(0, depth + 1).join("/")}`;
}

function select(call: ApiCall, depth: number): (typeof images)[number][] {
  const isAsked = (given: string | undefined, level: string): boolean =>
    given?.toLowerCase() === parameterOf(call, level).toLowerCase();
  const found = images.filter((image) => levels.slice(0, depth).every((level, index) => isAsked(image[index], level)));
  if (found.length > 0) return found;
  const message = `Artifact: VMImage was not found.`;
  return refuse("NotFound", message, 404);
}

function describe(call: ApiCall, depth: number, name: string): Record<string, unknown> {
  const path = levels.slice(0, depth).map((level, index) => `${parts[index] ?? ""}/${parameterOf(call, level)}`);
  const location = parameterOf(call, "location");
  const place = `${subscriptionPath(call)}/providers/Microsoft.Compute/locations/${location}`;
  return { id: [place, ...path, parts[depth] ?? "", name].join("/"), location, name };
}
