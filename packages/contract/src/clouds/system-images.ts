/** Operating systems that an instance's spec can name instead of one of the cloud's own images. */
export const systemImages = ["ubuntu-24.04", "ubuntu-22.04", "debian-12"] as const;

/** Returns the problem of an image that is neither an operating system nor one of the cloud's own images. `form` describes the latter. */
export function findImageProblem(
  image: string,
  own: RegExp,
  form: string,
): readonly [isWrong: boolean, field: string, message: string] {
  const isWrong = image !== "" && !(systemImages as readonly string[]).includes(image) && !own.test(image);
  return [isWrong, "spec.image", `is "${image}", which is neither ${form} nor one of ${systemImages.join(", ")}`];
}
