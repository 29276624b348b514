/** The simulated clouds. */
export type CloudName = "aws" | "gcp" | "azure";

/** A region and the full names of its zones. */
export interface Region {
  readonly name: string;
  readonly zones: readonly string[];
}

/** The regions of each cloud with the letters or digits of their zones. Not every region has the zones a, b and c. */
const catalogue: Readonly<Record<CloudName, Readonly<Record<string, string>>>> = {
  aws: {
    "us-east-1": "abcdef",
    "us-east-2": "abc",
    "us-west-1": "ac",
    "us-west-2": "abcd",
    "ca-central-1": "abd",
    "ca-west-1": "abc",
    "mx-central-1": "abc",
    "sa-east-1": "abc",
    "eu-west-1": "abc",
    "eu-west-2": "abc",
    "eu-west-3": "abc",
    "eu-central-1": "abc",
    "eu-central-2": "abc",
    "eu-north-1": "abc",
    "eu-south-1": "abc",
    "eu-south-2": "abc",
    "ap-northeast-1": "acd",
    "ap-northeast-2": "abcd",
    "ap-northeast-3": "abc",
    "ap-southeast-1": "abc",
    "ap-southeast-2": "abc",
    "ap-southeast-3": "abc",
    "ap-southeast-4": "abc",
    "ap-southeast-5": "abc",
    "ap-southeast-7": "abc",
    "ap-south-1": "abc",
    "ap-south-2": "abc",
    "ap-east-1": "abc",
    "me-south-1": "abc",
    "me-central-1": "abc",
    "il-central-1": "abc",
    "af-south-1": "abc",
    "us-gov-west-1": "abc",
    "us-gov-east-1": "abc",
    "cn-north-1": "abd",
    "cn-northwest-1": "abc",
  },
  gcp: {
    "us-central1": "abcf",
    "us-east1": "bcd",
    "us-east4": "abc",
    "us-west1": "abc",
    "europe-west1": "bcd",
    "europe-west2": "abc",
    "europe-west3": "abc",
    "europe-west4": "abc",
    "europe-north1": "abc",
    "asia-east1": "abc",
    "asia-northeast1": "abc",
    "asia-southeast1": "abc",
    "australia-southeast1": "abc",
    "southamerica-east1": "abc",
  },
  azure: {
    eastus: "123",
    eastus2: "123",
    westus2: "123",
    westus3: "123",
    centralus: "123",
    canadacentral: "123",
    brazilsouth: "123",
    westeurope: "123",
    northeurope: "123",
    uksouth: "123",
    germanywestcentral: "123",
    swedencentral: "123",
    southeastasia: "123",
    japaneast: "123",
    australiaeast: "123",
  },
};

const separators: Readonly<Record<CloudName, string>> = { aws: "", gcp: "-", azure: "-" };

/** Returns a region with its zones, or undefined if the cloud has no such region. */
export function findRegion(cloud: CloudName, name: string): Region | undefined {
  const letters = Object.hasOwn(catalogue[cloud], name) ? catalogue[cloud][name] : undefined;
  return letters === undefined
    ? undefined
    : { name, zones: letters.split("").map((letter) => `${name}${separators[cloud]}${letter}`) };
}

/** Returns the names of a cloud's regions. */
export function listRegions(cloud: CloudName): readonly string[] {
  return Object.keys(catalogue[cloud]);
}
