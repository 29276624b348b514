import type { DescribeImagesCommandInput, Image } from "@aws-sdk/client-ec2";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import type { AwsContext } from "./context.ts";

/** An image and the properties that are needed to create an instance from it. */
export interface InstanceImage {
  readonly id: string;
  readonly rootDevice: string;
  /** Size of the image's root disk. */
  readonly sizeGiB?: number;
  /** User for whom SSH keys are installed. */
  readonly user: string;
}

interface KnownImage {
  readonly user: string;
  /** Account that publishes the image, keyed by AWS partition. */
  readonly owners: Readonly<Record<string, string>>;
  readonly pattern: (architecture: string) => string;
}

const canonical = { aws: "099720109477", "aws-cn": "837727238323", "aws-us-gov": "513442679011" };

/** Images that can be requested by a short name. */
const known: Readonly<Record<string, KnownImage>> = {
  "ubuntu-24.04": {
    user: "ubuntu",
    owners: canonical,
    pattern: (architecture) => `ubuntu/images/hvm-ssd*/ubuntu-noble-24.04-${architecture}-server-*`,
  },
  "ubuntu-22.04": {
    user: "ubuntu",
    owners: canonical,
    pattern: (architecture) => `ubuntu/images/hvm-ssd*/ubuntu-jammy-22.04-${architecture}-server-*`,
  },
  "debian-12": {
    user: "admin",
    owners: { aws: "136693071363" },
    pattern: (architecture) => `debian-12-${architecture}-*`,
  },
};

/**
 * Returns the login user of a known operating system. Returns an empty string for an AMI ID, because the user is unknown until the AMI is
 * read.
 */
export function findImageUser(image: string): string {
  return Object.hasOwn(known, image) ? (known[image]?.user ?? "") : "";
}

/**
 * Returns the request that finds an image: the AMI with the given ID, or the AMIs of a known operating system for the machine type. Throws
 * `clouds.invalid` if the text names neither.
 */
export function renderImageQuery({
  image,
  type,
  region,
}: {
  readonly image: string;
  readonly type: string;
  readonly region: string;
}): DescribeImagesCommandInput {
  // A filter finds nothing if the image does not exist. `ImageIds` would be an error.
  if (/^ami-[\da-f]+$/.test(image)) return { Filters: [{ Name: "image-id", Values: [image] }] };
  const system = Object.hasOwn(known, image) ? known[image] : undefined;
  if (system === undefined)
    throw refuseRequest("aws", `"${image}" is neither an AMI ID nor one of ${Object.keys(known).join(", ")}`);
  const owner = system.owners[partitionOf(region)];
  if (owner === undefined) throw refuseRequest("aws", `${image} is not published in ${region}; pass an AMI ID`);
  const name = system.pattern(isArm(type) ? "arm64" : "amd64");
  const Filters = [
    { Name: "name", Values: [name] },
    { Name: "state", Values: ["available"] },
  ];
  return { Owners: [owner], Filters };
}

/** Finds the requested image: the AMI with the given ID, or the newest AMI of a known operating system for the machine type. */
export async function findImage(
  context: AwsContext,
  { image, type, region }: { readonly image: string; readonly type: string; readonly region: string },
  signal: AbortSignal | undefined,
): Promise<InstanceImage> {
  const query = renderImageQuery({ image, type, region });
  const images = await context.call({ doing: `look up the image ${image} in ${region}`, region, signal }, async (clients) => {
    const { DescribeImagesCommand } = await import("@aws-sdk/client-ec2");
    return (await (await clients.ec2()).send(new DescribeImagesCommand(query))).Images ?? [];
  });
  const newest = images.toSorted((a, b) => (a.CreationDate ?? "").localeCompare(b.CreationDate ?? "")).at(-1);
  if (newest === undefined)
    throw createCloudFault(`there is no image ${image} for ${type} in ${region}`, { cloud: "aws", category: "not_found" });
  return toImage(newest, (name) => findImageUser(image) || guessUser(name));
}

function toImage(image: Image, userOf: (name: string) => string): InstanceImage {
  const { ImageId = "", RootDeviceName: rootDevice = "/dev/xvda", Name = "", BlockDeviceMappings = [] } = image;
  const size = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === rootDevice)?.Ebs?.VolumeSize;
  return { id: ImageId, rootDevice, user: userOf(Name), ...(size === undefined ? {} : { sizeGiB: size }) };
}

/** Derives an image's login user from the image's name. Amazon Linux and most other systems use `ec2-user`. */
function guessUser(name: string): string {
  if (/ubuntu/i.test(name)) return "ubuntu";
  return /debian/i.test(name) ? "admin" : "ec2-user";
}

/** Returns whether a machine type has Arm processors: its generation is followed by `g`, as in `t4g` and `c7gn`. */
function isArm(type: string): boolean {
  return /^([a-z-]+\d+g[a-z-]*|a1)\./.test(type);
}

function partitionOf(region: string): string {
  return region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
