import type { ApiOperation } from "../../../api/api-service.ts";
import { numericId } from "../../place.ts";
import { refuse } from "../errors.ts";
import { linkOf, missing, operate, parameterOf, renderList } from "./compute-records.ts";

interface PublishedImage {
  readonly project: string;
  readonly family: string;
  readonly name: string;
  readonly architecture: "X86_64" | "ARM64";
  readonly createdAt: string;
}

const families: readonly (readonly [project: string, family: string, stem: string])[] = [
  ["debian-cloud", "debian-12", "debian-12-bookworm"],
  ["debian-cloud", "debian-12-arm64", "debian-12-bookworm-arm64"],
  ["debian-cloud", "debian-13", "debian-13-trixie"],
  ["ubuntu-os-cloud", "ubuntu-2204-lts", "ubuntu-2204-jammy"],
  ["ubuntu-os-cloud", "ubuntu-2204-lts-arm64", "ubuntu-2204-jammy-arm64"],
  ["ubuntu-os-cloud", "ubuntu-2404-lts-amd64", "ubuntu-2404-noble-amd64"],
  ["ubuntu-os-cloud", "ubuntu-2404-lts-arm64", "ubuntu-2404-noble-arm64"],
  ["cos-cloud", "cos-stable", "cos-stable-121"],
  ["rocky-linux-cloud", "rocky-linux-9", "rocky-linux-9"],
];

/** The images that the simulation publishes: the two latest releases of common operating systems, newest last. */
const published: readonly PublishedImage[] = ["2026-09-15", "2026-10-20"].flatMap((day) =>
  families.map(([project, family, stem]) => ({
    project,
    family,
    name: `${stem}-v${day.replaceAll("-", "")}`,
    architecture: family.endsWith("arm64") ? "ARM64" : "X86_64",
    createdAt: `${day}T08:00:00.000-07:00`,
  })),
);

/** Operations on images. */
export const imageOperations: readonly ApiOperation[] = [
  operate("images.getFromFamily", ["GET", "/global/images/family/{family}"], undefined, async (call) => {
    const path = `projects/${parameterOf(call, "project")}/global/images/family/${parameterOf(call, "family")}`;
    return renderImage(findImage(path) ?? refuse(missing(path)));
  }),
  operate("images.get", ["GET", "/global/images/{image}"], undefined, async (call) => {
    const path = `projects/${parameterOf(call, "project")}/global/images/${parameterOf(call, "image")}`;
    return renderImage(findImage(path) ?? refuse(missing(path)));
  }),
  operate("images.list", ["GET", "/global/images"], undefined, async (call) => {
    const project = parameterOf(call, "project");
    const own = published.filter((image) => image.project === project).map(renderImage);
    return renderList(call, "imageList", own, `projects/${project}/global/images`);
  }),
];

const imagePath = /projects\/([^/]+)\/(?:global\/images\/(family\/)?|zones\/[^/]+\/(imageFamilyViews\/))([^/]+)$/;

/** Finds a published image by its path or link, or the newest one of a family. */
export function findImage(path: string): PublishedImage | undefined {
  const [, project, family, view, name] = imagePath.exec(path) ?? [];
  const isFamily = family !== undefined || view !== undefined;
  return published.findLast((image) => image.project === project && (isFamily ? image.family : image.name) === name);
}

/** Returns the path of an image. */
export function pathOfImage({ project, name }: Pick<PublishedImage, "project" | "name">): string {
  return `projects/${project}/global/images/${name}`;
}

function renderImage(image: PublishedImage): Record<string, unknown> {
  const { name, family, project, architecture, createdAt } = image;
  return {
    kind: "compute#image",
    id: numericId(`${project} ${name}`),
    creationTimestamp: createdAt,
    name,
    description: `${family} (simulated)`,
    sourceType: "RAW",
    status: "READY",
    archiveSizeBytes: "1073741824",
    diskSizeGb: "10",
    family,
    architecture,
    selfLink: linkOf(pathOfImage(image)),
  };
}
