/*
 * The lamp: a small lighthouse to light and to put out.
 *
 * This runs in a frame of its own that is cut off from the page and from the network. It may draw and listen
 * inside the frame; its height is told to the page for it. Who asked for less motion gets a beam that rests.
 */
(() => {
  "use strict";

  const night = { top: "#0d1530", bottom: "#3a3b68", sea: "#111a36", land: "#0a0f22" };
  const secondsPerTurn = 9;
  const stars = Array.from({ length: 70 }, (_unused, index) => ({
    // The golden ratio spreads the stars without chance: the same sky every night.
    x: (index * 0.618034) % 1,
    y: ((index * 0.754878) % 1) * 0.6,
    size: 0.6 + ((index * 7) % 5) * 0.22,
    phase: index * 1.7,
  }));

  const figure = document.createElement("figure");
  figure.className = "lamp";
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  const button = document.createElement("button");
  button.type = "button";
  figure.append(canvas, button);
  document.body.append(figure);

  const brush = canvas.getContext("2d");
  const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");
  let isLit = false;
  /** From 0, dark, to 1, burning: the lamp takes a moment to come up. */
  let warmth = 0;
  let turn = 0.55;
  let width = 0;
  let height = 0;
  let lastFrameMs = null;
  let nextFrame = 0;

  function describe() {
    button.textContent = isLit ? "Put the lamp out" : "Light the lamp";
    button.setAttribute("aria-pressed", String(isLit));
    canvas.setAttribute(
      "aria-label",
      isLit ? "A lighthouse; its beam goes round over the sea." : "A dark lighthouse under the stars.",
    );
  }

  function resize() {
    const scale = Math.min(devicePixelRatio || 1, 2);
    width = Math.max(240, figure.clientWidth);
    height = Math.round(Math.min(340, width * 0.5));
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    draw();
  }

  function drawSky() {
    const sky = brush.createLinearGradient(0, 0, 0, height * 0.72);
    sky.addColorStop(0, night.top);
    sky.addColorStop(1, night.bottom);
    brush.fillStyle = sky;
    brush.fillRect(0, 0, width, height);
    for (const star of stars) {
      const twinkle = 0.55 + 0.25 * Math.sin(turn * 12 + star.phase);
      brush.globalAlpha = twinkle * (1 - 0.45 * warmth);
      brush.fillStyle = "#fdf6e3";
      brush.beginPath();
      brush.arc(star.x * width, star.y * height, star.size, 0, Math.PI * 2);
      brush.fill();
    }
    brush.globalAlpha = 1;
    brush.fillStyle = night.sea;
    brush.fillRect(0, height * 0.72, width, height * 0.28);
  }

  /** Seen from the side, a turning beam swings out, shortens toward the eye and swings out again. */
  function drawBeam(lampX, lampY) {
    const reach = width * 1.15;
    for (const half of [0, Math.PI]) {
      const angle = turn * Math.PI * 2 + half;
      const across = Math.cos(angle);
      const toward = Math.sin(angle);
      const endX = lampX + across * reach;
      const endY = lampY + toward * height * 0.16;
      const spread = height * (0.1 + 0.1 * Math.abs(across));
      const light = brush.createLinearGradient(lampX, lampY, endX, endY);
      const strength = warmth * (0.45 + 0.3 * toward);
      light.addColorStop(0, `rgba(255, 233, 176, ${strength})`);
      light.addColorStop(1, "rgba(255, 226, 160, 0)");
      brush.fillStyle = light;
      brush.beginPath();
      brush.moveTo(lampX, lampY - 3);
      brush.lineTo(endX, endY - spread);
      brush.lineTo(endX, endY + spread);
      brush.lineTo(lampX, lampY + 3);
      brush.fill();
    }
  }

  function drawGlitter(centerX) {
    brush.strokeStyle = "#ffd98a";
    brush.lineCap = "round";
    brush.lineWidth = 1.5;
    for (let row = 0; row < 9; row += 1) {
      const y = height * (0.745 + row * 0.026);
      const half = width * (0.015 + row * 0.006) * (1 + 0.3 * Math.sin(turn * 20 + row * 2.1));
      brush.globalAlpha = warmth * (0.55 - row * 0.05);
      brush.beginPath();
      brush.moveTo(centerX - half, y);
      brush.lineTo(centerX + half, y);
      brush.stroke();
    }
    brush.globalAlpha = 1;
  }

  function drawTower(x, lampY) {
    const foot = height * 0.86;
    const unit = height / 300;
    brush.fillStyle = night.land;
    brush.beginPath();
    brush.ellipse(x + 12 * unit, foot + 34 * unit, 130 * unit, 46 * unit, 0, Math.PI, 0);
    brush.fill();
    const bands = ["#e8dccb", "#a8434a", "#e8dccb", "#a8434a", "#e8dccb"];
    const top = lampY + 15 * unit;
    const bandHeight = (foot - top) / bands.length;
    bands.forEach((color, index) => {
      const upper = 13 + index * 1.6;
      brush.fillStyle = color;
      brush.beginPath();
      brush.moveTo(x - upper * unit, top + bandHeight * index);
      brush.lineTo(x + upper * unit, top + bandHeight * index);
      brush.lineTo(x + (upper + 1.6) * unit, top + bandHeight * (index + 1) + 0.5);
      brush.lineTo(x - (upper + 1.6) * unit, top + bandHeight * (index + 1) + 0.5);
      brush.fill();
    });
    brush.fillStyle = "#241f3a";
    brush.fillRect(x - 19 * unit, top - 3 * unit, 38 * unit, 4 * unit);
    brush.fillStyle = warmth > 0.02 ? `rgba(255, 231, 173, ${0.25 + 0.75 * warmth})` : "#39405f";
    brush.fillRect(x - 9 * unit, lampY - 9 * unit, 18 * unit, 21 * unit);
    brush.fillStyle = "#71303f";
    brush.beginPath();
    brush.moveTo(x - 13 * unit, lampY - 9 * unit);
    brush.quadraticCurveTo(x, lampY - 34 * unit, x + 13 * unit, lampY - 9 * unit);
    brush.fill();
    const glow = brush.createRadialGradient(x, lampY, 0, x, lampY, 70 * unit);
    glow.addColorStop(0, `rgba(255, 240, 200, ${0.9 * warmth})`);
    glow.addColorStop(1, "rgba(255, 224, 154, 0)");
    brush.fillStyle = glow;
    brush.fillRect(x - 70 * unit, lampY - 70 * unit, 140 * unit, 140 * unit);
  }

  function draw() {
    const lampX = width * 0.68;
    const lampY = height * 0.3;
    drawSky();
    if (warmth > 0) {
      drawBeam(lampX, lampY);
      drawGlitter(width * 0.36);
    }
    drawTower(lampX, lampY);
  }

  function frame(nowMs) {
    const elapsedSeconds = lastFrameMs === null ? 0 : Math.min(0.1, (nowMs - lastFrameMs) / 1000);
    lastFrameMs = nowMs;
    const goal = isLit ? 1 : 0;
    const step = elapsedSeconds / 0.9;
    warmth += Math.max(-step, Math.min(step, goal - warmth));
    turn = (turn + elapsedSeconds / secondsPerTurn) % 1;
    draw();
    // A dark lamp costs no battery.
    if (isLit || warmth > 0) nextFrame = requestAnimationFrame(frame);
  }

  function begin() {
    cancelAnimationFrame(nextFrame);
    lastFrameMs = null;
    if (lessMotion.matches) {
      warmth = isLit ? 1 : 0;
      turn = 0.55;
      draw();
    } else {
      nextFrame = requestAnimationFrame(frame);
    }
  }

  button.addEventListener("click", () => {
    isLit = !isLit;
    describe();
    begin();
  });
  lessMotion.addEventListener("change", begin);
  new ResizeObserver(resize).observe(figure);

  describe();
  resize();
})();
