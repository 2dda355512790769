/** @param {CanvasRenderingContext2D} context @param {string} color @param {() => void} draw adds to the path */
export function fill(context, color, draw) {
  context.beginPath();
  draw();
  context.fillStyle = color;
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} color
 * @param {number} width
 * @param {() => void} draw adds to the path
 * @param {number} [alpha]
 */
export function stroke(context, color, width, draw, alpha = 1) {
  context.beginPath();
  draw();
  context.globalAlpha = alpha;
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
  context.globalAlpha = 1;
}
