/**
 * Painting in one go what canvas wants in five.
 * @param {CanvasRenderingContext2D} context
 */
export function createBrush(context) {
  /**
   * @param {string} color
   * @param {() => void} draw adds to the path
   */
  function fill(color, draw) {
    context.beginPath();
    draw();
    context.fillStyle = color;
    context.fill();
  }

  /**
   * @param {string} color
   * @param {number} width
   * @param {() => void} draw adds to the path
   * @param {number} [alpha]
   */
  function stroke(color, width, draw, alpha = 1) {
    context.beginPath();
    draw();
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
    context.globalAlpha = 1;
  }

  return { fill, stroke };
}
