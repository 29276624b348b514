/** Returns the properties that are not undefined. */
export function present<Shape extends object>(properties: { [Key in keyof Shape]: Shape[Key] | undefined }): Partial<Shape> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Partial<Shape>;
}
