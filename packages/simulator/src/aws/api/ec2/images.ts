import { listOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { hash } from "../../place.ts";
import { describeOperation, regionOf, textsIn } from "./ec2-request.ts";

interface PublishedImage {
  readonly name: string;
  readonly owner: string;
  readonly alias?: string;
  readonly rootDevice: string;
  readonly architecture: "x86_64" | "arm64";
  readonly createdAt: string;
}

/** The images that the simulation publishes in every region: the two latest releases of common operating systems. */
const published: readonly PublishedImage[] = ["2026-09-15", "2026-10-20"].flatMap((day) => {
  const date = day.replaceAll("-", "");
  const createdAt = `${day}T08:00:00.000Z`;
  return (["x86_64", "arm64"] as const).flatMap((architecture): PublishedImage[] => {
    const short = architecture === "arm64" ? "arm64" : "amd64";
    return [
      {
        name: `ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-${short}-server-${date}`,
        owner: "099720109477",
        rootDevice: "/dev/sda1",
        architecture,
        createdAt,
      },
      {
        name: `ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-${short}-server-${date}`,
        owner: "099720109477",
        rootDevice: "/dev/sda1",
        architecture,
        createdAt,
      },
      { name: `debian-12-${short}-${date}-1900`, owner: "136693071363", rootDevice: "/dev/xvda", architecture, createdAt },
      {
        name: `al2023-ami-2023.9.${date}.0-kernel-6.1-${architecture}`,
        owner: "137112412989",
        alias: "amazon",
        rootDevice: "/dev/xvda",
        architecture,
        createdAt,
      },
    ];
  });
});

/** Operations on images. */
export const imageOperations: readonly ApiOperation[] = [
  describeOperation({
    name: "DescribeImages",
    type: "aws_ami",
    ids: "ImageId",
    set: "imagesSet",
    missing: (id) => ({ code: "InvalidAMIID.NotFound", message: `The image id '[${id}]' does not exist` }),
    list: async (call) => listImages(call),
    render: ({ id, attributes }) => ({
      imageId: id,
      imageLocation: `${textOf(attributes["owner"])}/${textOf(attributes["name"])}`,
      imageState: "available",
      imageOwnerId: textOf(attributes["owner"]),
      creationDate: textOf(attributes["createdAt"]),
      isPublic: true,
      architecture: textOf(attributes["architecture"]),
      imageType: "machine",
      name: textOf(attributes["name"]),
      rootDeviceType: "ebs",
      rootDeviceName: textOf(attributes["rootDevice"]),
      blockDeviceMapping: [
        {
          deviceName: textOf(attributes["rootDevice"]),
          ebs: { volumeSize: 8, volumeType: "gp3", encrypted: false, deleteOnTermination: true },
        },
      ],
      virtualizationType: "hvm",
      hypervisor: "xen",
      enaSupport: true,
      ...(textOf(attributes["alias"]) && { imageOwnerAlias: textOf(attributes["alias"]) }),
      tagSet: [],
    }),
    facts: ({ id, attributes }) => ({
      "image-id": [id],
      name: [textOf(attributes["name"])],
      architecture: [textOf(attributes["architecture"])],
      state: ["available"],
      "owner-id": [textOf(attributes["owner"])],
      "owner-alias": [textOf(attributes["alias"])],
      "root-device-type": ["ebs"],
      "virtualization-type": ["hvm"],
      "image-type": ["machine"],
      "is-public": ["true"],
    }),
  }),
];

/** Returns whether the simulation publishes an AMI with this ID in the region. */
export function isPublishedImage(region: string, id: string): boolean {
  return published.some((image) => idOf(region, image) === id);
}

function idOf(region: string, { name }: PublishedImage): string {
  return `ami-${hash(`${region} ${name}`).slice(0, 17)}`;
}

function listImages(call: ApiCall): readonly CloudRecord[] {
  const owners = textsIn(call, "Owner");
  const ids = listOf(objectOf(call.body)["ImageId"]);
  return published
    .filter(
      ({ owner, alias }) =>
        ids.length > 0 || owners.length === 0 || owners.includes(owner) || (alias !== undefined && owners.includes(alias)),
    )
    .map((image) => ({
      type: "aws_ami",
      id: idOf(regionOf(call), image),
      attributes: { ...image, alias: image.alias ?? "" },
    }));
}
