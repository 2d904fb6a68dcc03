/** Routes as in the framework's documentation, without anything of this project. */
export const plantedRoutes: Record<string, string> = {
  "app/routes/planted.loader.ts": `
import type { LoaderFunctionArgs } from "@remix-run/node";

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  return Response.json({ asked: searchParams.get("word"), params, client: context.clientId });
}
`,
  "app/routes/planted.action.ts": `
import type { ActionFunctionArgs } from "@remix-run/node";

export async function action({ request }: ActionFunctionArgs) {
  const { word } = (await request.json()) as { word: string };
  return Response.json({ heard: word }, { status: 201 });
}
`,
  "app/routes/planted.page.tsx": `
import { Form, useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import type { ActionFunctionArgs } from "@remix-run/node";

let guests: string[] = [];

export function loader() {
  return { guests };
}

export async function action({ request }: ActionFunctionArgs) {
  const name = String((await request.formData()).get("name"));
  if (name === "") return { fault: "Say who you are." };
  guests = [...guests, name];
  return { fault: null };
}

export default function PlantedPage() {
  const { guests: shown } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const fetcher = useFetcher<typeof action>();
  return (
    <main>
      <p data-testid="guests">{shown.join(", ")}</p>
      <p data-testid="fault">{result?.fault ?? fetcher.data?.fault ?? ""}</p>
      <Form method="post" aria-label="form">
        <input name="name" aria-label="Name" />
        <button>Send by form</button>
      </Form>
      <fetcher.Form method="post" aria-label="fetcher">
        <input name="name" aria-label="Name" />
        <button>Send by fetcher</button>
      </fetcher.Form>
    </main>
  );
}
`,
};
