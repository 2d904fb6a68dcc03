import { answerBrandFile } from "~/platform/brand/answer-brand-file.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    handle: ({ params }) =>
      answerBrandFile({
        opened: getServices().brand,
        version: params.version ?? "",
        name: params.file ?? "",
      }),
  },
});
