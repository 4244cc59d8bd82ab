"""What a map is asked: which number, of which pool, around which router, after which failure."""

from __future__ import annotations

from django import forms

from provisioning.web.reading.loads import NOW, QUESTIONS


class MapForm(forms.Form):
    """All of it stands in the address; what it does not know is refused."""

    show = forms.ChoiceField(label="Numbers", choices=list(QUESTIONS.items()), required=False)
    router = forms.CharField(
        label="Around router",
        required=False,
        max_length=63,
        widget=forms.TextInput(attrs={"placeholder": "all of them", "maxlength": "63"}),
    )
    fails = forms.CharField(
        label="What fails",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"placeholder": "the worst one", "maxlength": "200"}),
    )
    pool = forms.CharField(label="Pool", required=False, max_length=40)

    def clean_show(self) -> str:
        """Return the question; what is reserved now unless another is asked."""
        return self.cleaned_data["show"] or NOW

    def unknown(self) -> list[str]:
        """Return in sentences what the address asks for that there is not."""
        known = ", ".join(self.fields)
        return [
            f"There is no choice “{name[:60]}” here; there are: {known}."
            for name in self.data
            if name not in self.fields
        ]
