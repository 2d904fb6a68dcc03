import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import type { SwaggerMap, SwaggerSystem } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import type { ComponentType, ReactNode } from "react";
import { toInteractive } from "../interactive-document";
import type { ApiDocument } from "../read-operations";

/** Resolves once Swagger UI is rendered. */
export async function openSwagger(domNode: HTMLElement): Promise<void> {
  const response = await fetch("/api/openapi");
  if (!response.ok) throw new Error(`/api/openapi answered ${response.status}.`);
  const spec = toInteractive((await response.json()) as ApiDocument, location.origin);
  await new Promise<void>((resolve) => {
    SwaggerUI({
      domNode,
      spec,
      layout: "ReferenceLayout",
      plugins: [createLayout(spec.info.description), addSearch, hideTokens, playSound, nameControls],
      deepLinking: true,
      defaultModelsExpandDepth: -1,
      validatorUrl: null,
      // It has no dark theme.
      syntaxHighlight: { activated: false },
      onComplete: resolve,
    });
  });
}

/** Without `main`, `h1` and a choice of servers. */
function createLayout(description = "") {
  return function addLayout({ React, getComponent, layoutActions }: SwaggerSystem) {
    const draw = React.createElement;
    const find = (name: string, props = {}) => draw(getComponent(name, true), props);
    function ReferenceLayout() {
      const search = draw("input", {
        type: "search",
        className: "input",
        "aria-label": "Search operations",
        placeholder: "Search operations",
        onChange: (event: { target: HTMLInputElement }) => layoutActions.updateFilter(event.target.value),
      });
      return draw(
        "div",
        { className: "swagger-ui" },
        find("Markdown", { source: description }),
        draw("h2", null, "Operations"),
        draw("div", { className: "reference-tools" }, search, find("AuthorizeBtnContainer")),
        find("errors"),
        find("operations"),
      );
    }
    return { components: { ReferenceLayout } };
  };
}

type TaggedOperations = {
  map: (change: (tag: Tag) => Tag) => TaggedOperations;
  filter: (isKept: (tag: Tag) => boolean) => TaggedOperations;
};
type Tag = {
  get: (key: "operations") => { size: number };
  update: (key: "operations", change: (all: { filter: (is: Matcher) => unknown }) => unknown) => Tag;
};
type Matcher = (operation: SwaggerMap) => boolean;

/** Swagger UI's own search only finds tags. */
function addSearch() {
  function opsFilter(tags: TaggedOperations, phrase: string) {
    const words = phrase.toLowerCase().split(/\s+/);
    const isFound: Matcher = (operation) => {
      const described = ["summary", "operationId", "description"].map((key) =>
        operation.getIn(["operation", key]),
      );
      const text = [operation.get("method"), operation.get("path"), ...described].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return tags
      .map((tag) => tag.update("operations", (all) => all.filter(isFound)))
      .filter((tag) => tag.get("operations").size > 0);
  }
  return { fn: { opsFilter } };
}

/** Hides tokens in the curl command. */
function hideTokens({ React }: SwaggerSystem) {
  type CurlProps = { request: SwaggerMap };
  const wrapCurl = (Curl: ComponentType<CurlProps>) =>
    function CurlWithoutToken({ request, ...props }: CurlProps) {
      const header = ["headers", "Authorization"];
      const shown = request.getIn(header) ? request.setIn(header, "Bearer YOUR_TOKEN") : request;
      return React.createElement(Curl, { ...props, request: shown });
    };
  return { wrapComponents: { curl: wrapCurl } };
}

/** Swagger UI would play a GET response. Our sound is the response to a POST. */
function playSound({ React }: SwaggerSystem) {
  type BodyProps = { content: unknown; contentType?: string; url: string };
  const wrapBody = (Body: ComponentType<BodyProps>) =>
    function PlayableBody(props: BodyProps) {
      const { content, contentType = "", url } = props;
      const source = React.useMemo(
        () =>
          content instanceof Blob && contentType.startsWith("audio/") ? URL.createObjectURL(content) : url,
        [content, contentType, url],
      );
      React.useEffect(() => {
        if (source !== url) return () => URL.revokeObjectURL(source);
      }, [source, url]);
      return React.createElement(Body, { ...props, url: source });
    };
  return { wrapComponents: { responseBody: wrapBody } };
}

/** Names controls for screen readers, and removes a link inside a button. */
function nameControls({ React }: SwaggerSystem) {
  type Props = Record<string, unknown>;
  const draw = React.createElement;
  const nameIt = (name: string) => draw("span", { className: "visually-hidden" }, name);
  return {
    wrapComponents: {
      DeepLink: () =>
        function PathText({ text }: { text: ReactNode }) {
          return draw("span", null, text);
        },
      CloseIcon: (Icon: ComponentType<Props>) =>
        function NamedCloseIcon(props: Props) {
          return draw(React.Fragment, null, draw(Icon, props), nameIt("Close the dialog"));
        },
      ExamplesSelect: (Select: ComponentType<Props>) =>
        function NamedExamples(props: Props) {
          return draw("label", null, nameIt("Example"), draw(Select, props));
        },
      TextArea: (Area: ComponentType<Props>) =>
        function NamedArea(props: Props) {
          return draw(Area, { "aria-label": "Request body", ...props });
        },
    },
  };
}
