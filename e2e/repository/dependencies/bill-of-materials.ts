import * as z from "zod";

const billSchema = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({ "bom-ref": z.string(), name: z.string() }) }),
  components: z.array(
    z.looseObject({ "bom-ref": z.string(), name: z.string(), version: z.string(), purl: z.string() }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const lockfileSchema = z.looseObject({
  name: z.string(),
  packages: z.record(
    z.string(),
    z.looseObject({ name: z.string().optional(), version: z.string(), dev: z.boolean().optional() }),
  ),
});

export type BillOfMaterials = z.infer<typeof billSchema>;

/**
 * Reduces npm's bill of everything to production packages. We use the lockfile, because `--omit=dev` also omits
 * packages shared with a development tool. It also replaces the project's name, which npm takes from the folder.
 */
export function keepProduction(bill: unknown, lockfile: unknown): BillOfMaterials {
  const { metadata, components, dependencies, ...rest } = billSchema.parse(bill);
  const { name, packages } = lockfileSchema.parse(lockfile);
  const installed = new Set(
    Object.entries(packages)
      .filter(([, { dev }]) => !dev)
      .map(
        ([location, locked]) => `${locked.name ?? location.split("node_modules/").at(-1)}@${locked.version}`,
      ),
  );
  const kept = components.filter(({ purl }) => installed.has(spellPurl(purl)));
  const refs = new Set([metadata.component["bom-ref"], ...kept.map((component) => component["bom-ref"])]);
  return {
    ...rest,
    metadata: { ...metadata, component: { ...metadata.component, name, type: "application" } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) })),
  };
}

/** Turns `pkg:npm/%40scope/name@1.0.0` into `@scope/name@1.0.0`. The component's own name may be an alias. */
function spellPurl(purl: string): string {
  return decodeURIComponent(purl.replace("pkg:npm/", ""));
}
