/** The key mark on a ground, as an SVG document: for a tab, and for a home screen that cuts its own corners. */
export function drawKeyMark({ ground, isMaskable }: { ground: string; isMaskable: boolean }): string {
  const hole = "M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z";
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    `<rect width="32" height="32"${isMaskable ? "" : ' rx="8"'} fill="${ground}"/>`,
    `<path fill="#f3c969" d="${hole}"/>`,
    "</svg>\n",
  ].join("");
}

/** A square picture inside the circle that every home screen leaves of an icon: four fifths of its width. */
export function drawMaskableIcon(ground: string, picture: string): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">',
    `<rect width="512" height="512" fill="${ground}"/>`,
    // Within the circle a square has room for 0.8 / √2 of the whole.
    `<image x="112" y="112" width="288" height="288" href="${picture}"/>`,
    "</svg>\n",
  ].join("");
}
