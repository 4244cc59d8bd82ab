// Says on the page that a security key did not answer; without it only the browser's console would.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const trouble = document.getElementById("key-trouble");
  if (trouble) trouble.hidden = false;
});
